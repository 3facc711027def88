import { isRecord, parseJson } from "../base/index.ts";
import { rememberSeenFiles, type SeenFile, type SeenFiles } from "../tools/index.ts";
import type { Home } from "./home.ts";

const fileName = "seen.json";
const maxKept = 2000;

/**
 * Which files were read, kept from one process to the next: at a terminal every call is a process of its own, and
 * `write` wants to know of the `read` before it. Read at the first use, written when all is closed; where two
 * processes close at once one of them is forgotten, which costs a second reading.
 */
export class KeptSeenFiles implements SeenFiles {
  readonly #home: Home;
  readonly #changed = new Map<string, SeenFile>();
  #seen: SeenFiles | undefined;

  constructor(home: Home) {
    this.#home = home;
  }

  get(key: string): SeenFile | undefined {
    return this.#load().get(key);
  }

  set(key: string, seen: SeenFile): void {
    this.#load().set(key, seen);
    this.#changed.delete(key);
    this.#changed.set(key, seen);
  }

  /** Writes down what is new. */
  close(): void {
    if (this.#changed.size === 0) return;
    const all = new Map([...this.#read(), ...this.#changed]);
    this.#home.write(fileName, JSON.stringify(Object.fromEntries([...all].slice(-maxKept))));
    this.#changed.clear();
  }

  #load(): SeenFiles {
    if (this.#seen === undefined) {
      this.#seen = rememberSeenFiles();
      for (const [key, seen] of this.#read()) this.#seen.set(key, seen);
    }
    return this.#seen;
  }

  #read(): [string, SeenFile][] {
    const kept = parseJson(this.#home.read(fileName) ?? "{}");
    if (!isRecord(kept)) return [];
    return Object.entries(kept).filter((entry): entry is [string, SeenFile] => isSeenFile(entry[1]));
  }
}

function isSeenFile(value: unknown): value is SeenFile {
  if (!isRecord(value)) return false;
  const { version, hash } = value;
  return typeof version === "string" && (hash === undefined || typeof hash === "string");
}
