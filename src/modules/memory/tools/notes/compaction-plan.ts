import { systemZone } from "../../../../base/index.ts";
import { type Trust, trusts } from "../../../../kernel/index.ts";
import { memoryGate } from "../../store/access.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { isOfOther } from "./project.ts";

/** What was remembered in one week, the oldest first: all of it from here, or all of it from outside. */
export interface Week {
  /** Its first day, in UTC. */
  readonly monday: string;
  readonly trust: Trust;
  readonly entries: readonly MemoryEntry[];
}

export interface CompactionPlan {
  readonly weeks: readonly Week[];
  /** Entries that stay as they are. */
  readonly kept: number;
  /** There is more than is done at once. */
  readonly more: boolean;
}

const day = 24 * 60 * 60 * 1000;
const recentMs = 7 * day;
const mostLooked = 1000;
/** One call's worth of a model. */
const mostDigested = 200;

/** Which entries a compaction digests together. */
export async function planCompaction(
  store: MemoryStore,
  scope: string,
  project: string,
  now: number,
): Promise<CompactionPlan> {
  const { entries, total } = await store.list(scope, {
    kinds: ["memory", "observation"],
    owned: "own",
    order: "oldest",
    until: now - recentMs,
    limit: mostLooked,
  });
  const old = entries
    .filter((entry) => mayDigest(entry) && !isOfOther(project, entry))
    .sort((a, b) => a.at - b.at);
  const weeks: Week[] = [];
  let planned = 0;
  for (const [monday, ofWeek] of Map.groupBy(old, ({ at }) => findMonday(at))) {
    for (const trust of trusts) {
      const same = ofWeek.filter((entry) => entry.trust === trust).slice(0, mostDigested - planned);
      if (same.length < 2) continue;
      weeks.push({ monday, trust, entries: same });
      planned += same.length;
    }
  }
  const { total: all } = await store.list(scope, {
    kinds: ["memory", "observation"],
    owned: "own",
    limit: 1,
  });
  return { weeks, kept: all - planned, more: planned >= mostDigested || total > entries.length };
}

function mayDigest({ permission, pinned, tier, category }: MemoryEntry): boolean {
  const isFree = memoryGate(permission, "overwrite") === "allow" && !pinned;
  return isFree && tier === "archival" && category !== "digest";
}

function findMonday(at: number): string {
  const here = systemZone.toWallTime(at);
  const sinceMonday = (new Date(here).getUTCDay() + 6) % 7;
  return new Date(here - sinceMonday * day).toISOString().slice(0, 10);
}
