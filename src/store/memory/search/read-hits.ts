import type { Kysely } from "kysely";
import type { Tables } from "../../tables.ts";
import { readEntries } from "../entries/find-entries.ts";
import type { MemoryHit, MemoryMatch } from "../memory-store.ts";
import { readWindow } from "./read-windows.ts";

/** An entry that was found, before it is read. */
export interface FoundEntry {
  readonly seq: number;
  readonly score: number;
  readonly match: MemoryMatch;
}

interface Shown {
  readonly scope: string;
  /** Neighbours of each in its session, on each side. */
  readonly window: number;
}

/** The entries that were found, in their order, with what stands beside them. */
export async function readHits(
  db: Kysely<Tables>,
  found: readonly FoundEntry[],
  { scope, window }: Shown,
): Promise<MemoryHit[]> {
  const entries = await readEntries(
    db,
    scope,
    found.map(({ seq }) => seq),
  );
  const hits: MemoryHit[] = [];
  for (const [at, entry] of entries.entries()) {
    const { score = 0, match = "full-text" } = found[at] ?? {};
    const { before, after } = await readWindow(db, scope, entry, window);
    const beside = await readEntries(db, scope, [...before, ...after]);
    hits.push({
      entry,
      score,
      match,
      before: beside.slice(0, before.length),
      after: beside.slice(before.length),
    });
  }
  return hits;
}
