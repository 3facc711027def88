import { parseJson } from "../../../../base/index.ts";
import { checkPageLimit, invalid } from "../entries/checked-entry.ts";
import type { MemoryEntry } from "../memory-entry.ts";
import type { MemoryListing, MemoryPage } from "../memory-store.ts";
import { type KeptEntry, seenBy } from "./kept-entry.ts";
import { matchesFilter } from "./matches-filter.ts";

type Order = NonNullable<MemoryListing["order"]>;
type Key = readonly (string | number)[];

/** What each order goes by; undefined for those that have no place in it. The `seq` tells every two entries apart. */
const orders: Readonly<Record<Order, (entry: MemoryEntry, seq: number) => Key | undefined>> = {
  newest: ({ changedAt }, seq) => [-changedAt, -seq],
  oldest: ({ changedAt }, seq) => [changedAt, seq],
  label: ({ label }, seq) => (label === undefined ? undefined : [label, seq]),
  position: ({ place }, seq) => place && [place.session, place.position, seq],
};

/**
 * Lists those of these entries that the scope sees, a page at a time.
 *
 * @throws {MemoryError} MEMORY_INVALID
 *
 * @example
 * ```ts
 * const author = { by: "owner:ada" };
 * const texts = ["Buy milk.", "Call Bob."];
 * const all = texts.map((text, at) =>
 *   keepEntry({ kind: "memory", text }, { seq: at, scope: "local", author, at }),
 * );
 * const { entries } = listKept("local", all, { order: "newest", limit: 1 }, 10);
 * entries.map(({ text }) => text); // → ["Call Bob."]
 * ```
 */
export function listKept(
  scope: string,
  all: readonly KeptEntry[],
  listing: MemoryListing,
  now: number,
): MemoryPage {
  const { order = "newest", limit = 50, after } = listing;
  checkPageLimit(limit);
  const meant = all
    .flatMap((kept) => {
      const entry = seenBy(scope, kept);
      const key = entry && orders[order](entry, kept.seq);
      return key !== undefined && matchesFilter(scope, entry as MemoryEntry, listing, now)
        ? [{ entry: entry as MemoryEntry, key }]
        : [];
    })
    .sort((one, other) => compare(one.key, other.key));
  const last = after === undefined ? undefined : parseNext(order, after);
  const left = last === undefined ? meant : meant.filter(({ key }) => compare(key, last) > 0);
  const page = left.slice(0, limit);
  return {
    entries: page.map(({ entry }) => entry),
    total: meant.length,
    next: left.length > limit ? JSON.stringify([order, ...(page.at(-1)?.key ?? [])]) : undefined,
  };
}

function compare(one: Key, other: Key): number {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at < 0 ? 0 : (one[at] as Key[number]) < (other[at] as Key[number]) ? -1 : 1;
}

function parseNext(order: Order, next: string): Key {
  const parsed = parseJson(next);
  const [of, ...key] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (of !== order || key.length < 2) throw invalid("after", "it is the `next` of a page in the same order");
  return key as Key;
}
