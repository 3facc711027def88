import type { Kysely } from "kysely";
import { readEntries } from "../entries/find-entries.ts";
import type { MemoryEntry } from "../memory-entry.ts";
import type { MemoryHit, MemoryMatch } from "../memory-store.ts";
import type { Tables } from "../tables.ts";
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
  /** Entries that were read before, by row number; added to. */
  readonly known: Map<number, MemoryEntry>;
}

/** The entries that were found, in their order, with what stands beside them. One that is gone by now is left out. */
export async function readHits(
  db: Kysely<Tables>,
  found: readonly FoundEntry[],
  { scope, window, known }: Shown,
): Promise<MemoryHit[]> {
  const seqs = found.map(({ seq }) => seq);
  const entries = new Map((await readEntries(db, scope, seqs, known)).map((entry) => [entry.id, entry]));
  const hits: MemoryHit[] = [];
  for (const { seq, score, match } of found) {
    const entry = entries.get(known.get(seq)?.id ?? "");
    if (entry === undefined) continue;
    const { before, after } = await readWindow(db, scope, entry, window);
    const beside = await readEntries(db, scope, [...before, ...after], known);
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
