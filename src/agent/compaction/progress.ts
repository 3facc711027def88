import type { Entry } from "../../modules/sessions/index.ts";

/** The share of the limit that the first request after a compaction may have, as the provider counts it. */
const mostAfter = 0.6;
/** A compaction is recent until so many answers, or a message of a user, have followed it. */
export const recentSteps = 5;

/**
 * Whether the newest compaction freed too little: the provider counted more than 60 % of the limit in the first request
 * after it. An estimate is no reason, and neither is a compaction that is no longer recent.
 *
 * @returns the provider's count; undefined if there was enough room, or nobody knows yet
 */
export function findShortfall(
  entries: readonly Entry[],
  { limit }: { readonly limit: number },
): number | undefined {
  const counted = readFirstCount(entries);
  return counted !== undefined && counted > limit * mostAfter ? counted : undefined;
}

/** The most tokens that the first request after a compaction may have. */
export function findGoal({ limit }: { readonly limit: number }): number {
  return Math.floor(limit * mostAfter);
}

/** The provider's count of the first request after a recent compaction. */
function readFirstCount(entries: readonly Entry[]): number | undefined {
  const [first] = entries;
  // A summary comes before the entries that it kept, which are older.
  const summarySeq = first?.kind === "summary" ? first.seq : 0;
  let steps = 0;
  let counted: number | undefined;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry;
    if (entry.kind === "prune" || entry.seq <= summarySeq) return counted;
    if (entry.kind === "user") return undefined;
    if (entry.kind !== "answer") continue;
    counted = entry.inputTokens;
    if (++steps === recentSteps) return undefined;
  }
  return undefined;
}
