import { HostError } from "../../../host/index.ts";
import type { CommandPlace } from "./syntax/place.ts";

/** Each takes up to 0.1 ms. What is left after so many counts as there. */
const mostLookups = 64;

/** `not told`: outside the allowed folders, or where haft keeps its own. `not looked`: there were too many names. */
export type Finding = "nothing" | "file" | "other" | "not told" | "not looked";

/** Says which names of a line are of no file, as far as the call may know. */
export class FileLookup {
  readonly #place: CommandPlace;
  readonly #known = new Map<string, Finding>();
  #left = mostLookups;

  constructor(place: CommandPlace) {
    this.#place = place;
  }

  /** Whether nothing is at `path`. Outside the allowed folders, and where haft keeps its own, it is never told. */
  isAbsent(path: string): boolean {
    return this.finds(path) === "nothing";
  }

  finds(path: string): Finding {
    let found = this.#known.get(path);
    if (found === undefined) {
      found = this.#look(path);
      this.#known.set(path, found);
    }
    return found;
  }

  #look(path: string): Finding {
    if (this.#left-- <= 0) return "not looked";
    const { workspace, context } = this.#place;
    const access = {
      allowedPaths: context.allowedPaths ?? [],
      effects: [],
      signal: context.signal ?? new AbortController().signal,
    };
    try {
      const status = workspace.status(path, access, { follow: false });
      if (status === undefined) return "nothing";
      return status.type === "file" ? "file" : "other";
    } catch (error) {
      if (error instanceof HostError) return "not told";
      throw error;
    }
  }
}
