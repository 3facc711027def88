import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isProgram, usualFolders } from "./find-program.ts";
import { canonical, canonicalPlace, contains } from "./places.ts";

/** Program folders that package managers and virtual environments put before the system's own. */
const projectFolder =
  /[/\\](node_modules[/\\]\.bin|\.venv|venv|\.direnv|\.devenv|\.devbox|\.bundle|vendor[/\\]bin)([/\\]|$)/;

export interface FoundProgram {
  /** Path as found through the `PATH`, with links not resolved. */
  readonly path: string;
  /** Whether commands or the project may write the program, which makes it the project's code. */
  readonly isOfProject: boolean;
}

export interface ProgramSearchOptions {
  /** `PATH` of the command. */
  readonly path: string;
  /** Folders and files that commands may change. */
  readonly writable: readonly string[];
}

/** Finds programs as a shell would, and distinguishes the machine's programs from the project's. */
export class ProgramSearch {
  readonly #folders: readonly string[];
  readonly #writable: readonly string[];
  readonly #isOfProject = new Map<string, boolean>();

  constructor({ path, writable }: ProgramSearchOptions) {
    this.#folders = path.split(delimiter);
    this.#writable = Array.from(new Set(writable.flatMap((one) => [resolve(one), canonicalPlace(one)])));
  }

  /**
   * Finds the program that a shell would start under this name; undefined if there is none.
   *
   * @param cwds folders that the shell may be in, in which relative entries of the `PATH` start
   */
  find(name: string, cwds: readonly string[]): FoundProgram | undefined {
    for (const folder of this.#folders) {
      const places = isAbsolute(folder) ? [folder] : cwds.map((cwd) => resolve(cwd, folder));
      const file = places.map((place) => join(place, name)).find(isProgram);
      if (file === undefined) continue;
      return { path: file, isOfProject: !isAbsolute(folder) || this.#isWritten(folder, file) };
    }
    return undefined;
  }

  /** `PATH` without folders of the project's programs, so that a judged program cannot be replaced by another. */
  get pathOfMachine(): string {
    return this.#folders
      .filter((folder) => isAbsolute(folder) && !this.#isFolderOfProject(folder))
      .join(delimiter);
  }

  #isWritten(folder: string, file: string): boolean {
    if (this.#isFolderOfProject(folder)) return true;
    const place = canonical(file);
    return place !== undefined && this.#isWritable(place) && !isOfSystem(place);
  }

  #isFolderOfProject(folder: string): boolean {
    let is = this.#isOfProject.get(folder);
    if (is === undefined) {
      const place = canonicalPlace(folder);
      is =
        projectFolder.test(folder) ||
        projectFolder.test(place) ||
        ((this.#isWritable(resolve(folder)) || this.#isWritable(place)) && !isOfSystem(place));
      this.#isOfProject.set(folder, is);
    }
    return is;
  }

  #isWritable(place: string): boolean {
    return this.#writable.some((one) => contains(one, place));
  }
}

/** Whether a path lies where the system keeps programs, and this user can't change it. */
function isOfSystem(place: string): boolean {
  const folder = usualFolders.map((one) => canonicalPlace(one)).find((one) => contains(one, place));
  return folder !== undefined && !canWrite(folder) && !canWrite(place);
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The `PATH` of this process without programs of the project that it was started in: `npx` and `npm start` put those
 * first. haft looks here for the programs that it starts itself.
 */
export function ownSearchPath(): string {
  const cwd = process.cwd();
  const isProject = !contains(cwd, homedir());
  const search = new ProgramSearch({ path: process.env["PATH"] ?? "", writable: isProject ? [cwd] : [] });
  return search.pathOfMachine;
}
