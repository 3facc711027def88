import { memoryGate, type MemoryEntry, type MemoryStore } from "../../../store/index.ts";
import { isOfOther } from "./project.ts";

/** What was remembered in one week, the oldest first. */
export interface Week {
  /** Its first day, in UTC. */
  readonly monday: string;
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
  const byMonday = new Map<string, MemoryEntry[]>();
  for (const entry of old) {
    const monday = mondayOf(entry.at);
    byMonday.set(monday, [...(byMonday.get(monday) ?? []), entry]);
  }
  const weeks: Week[] = [];
  let planned = 0;
  for (const [monday, all] of byMonday) {
    const week = all.slice(0, mostDigested - planned);
    if (week.length < 2) continue;
    weeks.push({ monday, entries: week });
    planned += week.length;
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

function mondayOf(at: number): string {
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - sinceMonday * day).toISOString().slice(0, 10);
}
