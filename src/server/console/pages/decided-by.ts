import type { Records } from "../../../app/index.ts";
import type { Rule } from "../../../kernel/index.ts";
import type { RecentDecisions } from "../api/index.ts";

/** How many of the newest calls are looked at. */
const most = 500;

/** Counts which rules decided the newest calls. The ledger has a rule as its JSON. */
export async function tallyDecisions(
  records: Pick<Records, "listCalls">,
  signal: AbortSignal,
): Promise<{ readonly looked: number; readonly find: (rule: Rule) => RecentDecisions }> {
  const { rows } = await records.listCalls({ limit: most }, signal);
  const tally = new Map<string, RecentDecisions>();
  // The newest come first.
  for (const { decision, callId, startedAt } of rows) {
    if (decision === undefined) continue;
    const { calls, last } = tally.get(decision.by) ?? { calls: 0 };
    tally.set(decision.by, { calls: calls + 1, last: last ?? { callId, at: startedAt } });
  }
  return { looked: rows.length, find: (rule) => tally.get(JSON.stringify(rule)) ?? { calls: 0 } };
}
