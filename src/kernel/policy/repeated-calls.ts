import { RecentMap } from "../../base/index.ts";
import type { ResolvedCall } from "../call/call.ts";
import type { LedgerPolicy } from "../call/record-step.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Judgement, Verdict } from "./permissions.ts";
import type { Rule } from "./rules.ts";

/** Finds when the same call began before, in Unix ms, if its outcome is unknown. */
export type FindEarlier = (call: ResolvedCall) => Promise<number | undefined>;

/** The decision of the rules about a call, and about each of its effects. */
export interface Judged {
  readonly verdict: Verdict;
  readonly judgements: readonly Judgement[];
}

/** Looks for earlier calls in the ledger. Undefined if it can't tell. */
export function findEarlierIn(ledger: Ledger | undefined, policy: LedgerPolicy): FindEarlier | undefined {
  if (ledger?.mayHaveHappened === undefined) return undefined;
  return async ({ toolName, scope, context: { taskId }, shownParams: params }) => {
    if (taskId === undefined) return undefined;
    try {
      return await ledger.mayHaveHappened?.({ toolName, scope, taskId, params });
    } catch (error) {
      if (policy === "required") throw error;
      return undefined; // Its owner lets calls run that the ledger can't even record.
    }
  };
}

/** Whether to look for an earlier call: not for one that may be repeated or is denied anyway. */
export function mayBeRepeat({ context, tool }: ResolvedCall, { decision }: Verdict): boolean {
  const { readOnly, idempotent } = tool.annotations;
  return context.taskId !== undefined && decision !== "deny" && readOnly !== true && idempotent !== true;
}

/**
 * Asks about a call that may have happened already, whatever allows it: no rule and no remembered answer is a yes to
 * doing it twice.
 */
export function askAboutRepeat({ verdict, judgements }: Judged, since: number, now: number): Judged {
  const asked = verdict.decision === "ask" ? verdict.rule?.reason : undefined;
  const happened = `it may have happened already ${describeTime(since, now)}`;
  const rule = toRule(asked === undefined ? happened : `${happened}; ${asked}`);
  return {
    verdict: { ...verdict, decision: "ask", rule },
    judgements: judgements.map((one) => ({
      ...one,
      decision: "ask",
      rule,
      holding: [rule, ...one.holding],
    })),
  };
}

/** One rule object for each reason, since the answer to a plan is compared by its rules. */
const rules = new RecentMap<string, Rule>(100);

function toRule(reason: string): Rule {
  const known = rules.get(reason);
  if (known !== undefined) return known;
  const rule: Rule = { decision: "ask", reason, remember: "never" };
  rules.set(reason, rule);
  return rule;
}

/** The time on this machine: `at 12:04`, with the day unless that is today. */
function describeTime(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  const time = `${pad(then.getHours())}:${pad(then.getMinutes())}`;
  return then.toDateString() === today.toDateString()
    ? `at ${time}`
    : `on ${then.getFullYear()}-${pad(then.getMonth() + 1)}-${pad(then.getDate())} at ${time}`;
}

function pad(number: number): string {
  return `${number}`.padStart(2, "0");
}
