import { HostError } from "../../../host/index.ts";
import type { CommandPlace } from "./place.ts";

/** Each takes up to 0.1 ms. What is left after so many counts as there. */
const mostLookups = 64;

/** Says which names of a line are of no file, as far as the call may know. */
export class FileLookup {
  readonly #place: CommandPlace;
  readonly #known = new Map<string, boolean>();
  #left = mostLookups;

  constructor(place: CommandPlace) {
    this.#place = place;
  }

  /** Whether nothing is at `path`. Outside the allowed folders, and where haft keeps its own, it is never told. */
  isAbsent(path: string): boolean {
    let absent = this.#known.get(path);
    if (absent === undefined) {
      absent = this.#look(path);
      this.#known.set(path, absent);
    }
    return absent;
  }

  #look(path: string): boolean {
    if (this.#left-- <= 0) return false;
    const { workspace, context } = this.#place;
    const access = {
      allowedPaths: context.allowedPaths ?? [],
      effects: [],
      signal: context.signal ?? new AbortController().signal,
    };
    try {
      return workspace.status(path, access, { follow: false }) === undefined;
    } catch (error) {
      if (error instanceof HostError) return false;
      throw error;
    }
  }
}
