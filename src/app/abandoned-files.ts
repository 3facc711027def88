import { dirname, resolve } from "node:path";
import { fromHome, removeAbandonedFiles } from "../host/index.ts";
import type { UnknownCall } from "../modules/ledger/index.ts";

export interface AbandonedFilesOptions {
  /** haft's own folder. */
  readonly home: string;
  /** The folder of the memory files. */
  readonly memory: () => string;
}

/** The start has passed by then. */
const delayMs = 2000;
/** A scope's folder in the folder of the memory files, and the folders in it. */
const memoryLevels = 2;
/** Folders of calls that are looked at. */
const maxFolders = 100;

/**
 * Removes the unfinished files that processes of haft left when they were killed: from haft's own folder, and from the
 * folders that their calls worked in, which the ledger knows. It does so once for each opening of the store, in the
 * background, or at the end of a program that ends sooner.
 */
export class AbandonedFiles {
  readonly #options: AbandonedFilesOptions;
  #calls: readonly UnknownCall[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AbandonedFilesOptions) {
    this.#options = options;
  }

  /** @param calls those that became unknown when the store was opened */
  removeLater(calls: readonly UnknownCall[]): void {
    this.#calls = [...this.#calls, ...calls];
    this.#timer ??= setTimeout(() => this.#remove(), delayMs).unref();
  }

  /** Removes at once what calls left, since no later start is told of them. */
  close(): void {
    if (this.#calls.length > 0) this.#remove();
    clearTimeout(this.#timer);
  }

  #remove(): void {
    clearTimeout(this.#timer);
    const { home, memory } = this.#options;
    const folders = listFolders(this.#calls);
    this.#calls = [];
    removeAbandonedFiles([home, ...folders]);
    removeAbandonedFiles([memory()], { levels: memoryLevels });
  }
}

/** The project folders of the calls, and the folders of all that they recorded or were asked to change. */
function listFolders(calls: readonly UnknownCall[]): readonly string[] {
  const projects = calls.flatMap(({ project }) => project ?? []);
  const recorded = calls.flatMap(({ paths }) => paths.map((path) => dirname(path)));
  // A process that is killed while it writes a file has not recorded the change yet.
  const asked = calls.flatMap(({ project, paramsText }) =>
    project === undefined || paramsText === undefined
      ? []
      : extractTexts(paramsText).map((text) => dirname(resolve(project, fromHome(text)))),
  );
  return Array.from(new Set([...projects, ...recorded, ...asked])).slice(0, maxFolders);
}

/** The texts in JSON that may be cut, names included; a text that spans lines is no path, and one of another machine is not for us. */
function extractTexts(json: string): readonly string[] {
  return Array.from(json.matchAll(/"(?:[^"\\]|\\.)+"/g), ([text]) => readText(text)).filter(
    (text) => text !== "" && !/^[\\/]{2}|[\0\n]/.test(text),
  );
}

function readText(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return "";
  }
}
