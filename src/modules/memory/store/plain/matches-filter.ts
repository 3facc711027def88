import type { MemoryEntry } from "../memory-entry.ts";
import type { MemoryFilter } from "../memory-store.ts";

const exact = ["category", "trust", "session", "speaker", "role", "channel", "pinned"] as const;

/** Whether the filter means the entry, as the scope sees it. */
export function matchesFilter(scope: string, entry: MemoryEntry, filter: MemoryFilter, now: number): boolean {
  const { kinds, exceptKinds = [], tiers, tags = [], labelPrefix, with: also = [], owned } = filter;
  const { validAt = now, since = -Infinity, until = Infinity, afterPosition } = filter;
  const { kind, tier, label, place, at, validFrom = -Infinity, validTo = Infinity } = entry;
  const said = { ...place, category: entry.category, trust: entry.trust, pinned: entry.pinned };
  return (
    (kinds === undefined || kinds.includes(kind)) &&
    !exceptKinds.includes(kind) &&
    (tiers === undefined || tiers.includes(tier)) &&
    tags.every((tag) => entry.tags.includes(tag)) &&
    (labelPrefix === undefined || label?.startsWith(labelPrefix) === true) &&
    exact.every((name) => filter[name] === undefined || filter[name] === said[name]) &&
    (afterPosition === undefined || (place !== undefined && place.position > afterPosition)) &&
    at >= since &&
    at < until &&
    (owned === undefined || (owned === "own") === (entry.scope === scope)) &&
    (also.includes("deleted") || entry.deletedAt === undefined) &&
    (also.includes("superseded") || entry.supersededBy === undefined) &&
    (also.includes("invalid") || (validFrom <= validAt && validTo > validAt))
  );
}
