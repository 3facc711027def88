import type { MemorySearch } from "../memory-store.ts";

export interface NoHits {
  /** Entries that the scope has. */
  readonly stored: number;
  /** Of those that match, how many the filter leaves out. */
  readonly excluded: number;
  /** How many there are before the page that was asked for. */
  readonly beyond?: number;
  readonly mode?: MemorySearch["mode"];
}

/** Why nothing was found, and what to do. */
export function noteOf({ stored, excluded, beyond = 0, mode }: NoHits): string {
  if (stored === 0) return "Nothing is remembered here yet";
  if (beyond > 0) return `There are only ${beyond} hits: ask for an earlier page`;
  if (excluded > 0) {
    return `${excluded} of ${stored} entries match, but the filters leave them out (or they are deleted, superseded or not valid now): search with fewer filters`;
  }
  if (mode === "names") return `None of ${stored} entries has a name that the query says`;
  return `None of ${stored} entries has a word of the query: ask with other words`;
}
