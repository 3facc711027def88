import { isRecord, parseJson, RecentMap } from "../base/index.ts";
import type { SeenFile, SeenFiles } from "../modules/files/index.ts";
import type { Home } from "./home.ts";

const fileName = "seen.json";
const maxRemembered = 10_000;
const maxKept = 2000;

/**
 * Which files were read, kept from one process to the next: at a terminal every call is a process of its own, and
 * `write` wants to know of the `read` before it. Read at the first use, written when all is closed; where two
 * processes close at once one of them is forgotten, which costs a second reading.
 */
export class KeptSeenFiles implements SeenFiles {
  readonly #home: Home;
  #seen: RecentMap<string, SeenFile> | undefined;
  #changed = false;

  constructor(home: Home) {
    this.#home = home;
  }

  get(key: string): SeenFile | undefined {
    return this.#load().get(key);
  }

  set(key: string, file: SeenFile): void {
    this.#load().set(key, file);
    this.#changed = true;
  }

  /** Writes down what was seen, over what other processes have written since. */
  close(): void {
    if (!this.#changed) return;
    const all = new Map([...this.#read(), ...this.#load()]);
    this.#home.write(fileName, JSON.stringify(Object.fromEntries([...all].slice(-maxKept))));
    this.#changed = false;
  }

  #load(): RecentMap<string, SeenFile> {
    this.#seen ??= new RecentMap(maxRemembered, this.#read());
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
