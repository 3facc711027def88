import type { BudgetKind, BudgetScope, BudgetUse, RunEnd } from "../../agent/index.ts";
import type { App, ResumedTurn } from "../../app/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { askYes } from "../asking/ask-yes.ts";
import { isStartedByAgent } from "../asking/terminal-approver.ts";
import type { Session } from "../session.ts";
import { wrapText } from "../text/display-width.ts";
import { formatUsd } from "../usage/format-usd.ts";

const dollar = 1_000_000;

/** A run that is driven at a terminal. */
export interface RunWithinBudget {
  readonly app: App;
  readonly run: Run;
  readonly signal: AbortSignal;
  /** Drives it until it ends or pauses. */
  readonly drive: (run: Run) => Promise<RunEnd>;
  /** Leaves the terminal to the question. */
  readonly lend: <T>(ask: () => Promise<T>) => Promise<T>;
}

/**
 * Drives a run, and asks the person at the terminal at the end of its own budget: after a yes it goes on with more. After
 * a no, or where nobody can be asked, it stays paused.
 */
export async function driveWithinBudget(
  session: Session,
  { app, run, signal, drive, lend }: RunWithinBudget,
): Promise<RunEnd> {
  let end = await drive(run);
  for (let raise = offerRaise(end); raise !== undefined; raise = offerRaise(end)) {
    if (session.asJson || !session.terminal.interactive || (await isStartedByAgent())) return end;
    const { about, question, resumed } = raise;
    const isMore = await lend(() => {
      // Something to read stands there before a key counts.
      for (const line of wrapText(about, session.terminal.errorWidth)) session.terminal.err(`${line}\n`);
      return askYes(session.terminal, question, { signal });
    });
    if (isMore !== true) return end;
    const host = await app.agent();
    const goesOn = await host.resume(run.id, resumed);
    if (goesOn === undefined) return end;
    end = await drive(goesOn);
  }
  return end;
}

/** The question to raise a limit, and what a yes gives the run. */
export interface Raise {
  /** What is spent. */
  readonly about: string;
  readonly question: string;
  readonly resumed: ResumedTurn;
}

/**
 * Offers a dollar more, or as much again of a limit that is not money. Undefined unless the run paused at its own budget:
 * the budget of a day is not raised by the way.
 */
export function offerRaise(end: RunEnd): Raise | undefined {
  const use = end.state === "paused" ? end.budget : undefined;
  if (use?.scope !== "run") return undefined;
  const { kind, limit, spent } = use;
  const more = kind === "micros" ? dollar : limit;
  const raised = raise(use);
  const rest = spent < limit ? ", and the rest does not suffice for another answer" : "";
  return {
    about: `It has spent ${formatAmount(kind, spent)} of ${formatAmount(kind, limit)}${rest}.`,
    question: `Go on with ${kind === "micros" ? "$1" : formatAmount(kind, more)} more? (y/N)`,
    resumed: kind === "micros" ? { usd: raised / dollar } : { limits: { [kind]: raised } },
  };
}

/** Whether a run paused because the price of its model, and so what it has spent, is not known. */
export function isUnpriced(end: RunEnd): boolean {
  return end.state === "paused" && end.why === "budget" && end.budget === undefined;
}

/** How a paused run goes on, in words. */
export function describeWayOn(
  end: RunEnd,
  { resume, runId }: { readonly resume: string; readonly runId: string },
): string {
  const use = end.state === "paused" ? end.budget : undefined;
  if (isUnpriced(end)) return `once the model has \`prices\` in the configuration, ${resume} goes on`;
  if (use === undefined) return `${resume} goes on`;
  if (use.scope === "run" && use.kind === "micros")
    return `haft run --resume ${runId} --budget ${(Math.ceil(raise(use) / 10_000) / 100).toFixed(2)} goes on`;
  const name = settings[use.scope];
  return use.scope === "run"
    ? `${resume} at a terminal asks whether it goes on with more; \`${name}\` has the limit`
    : `${resume} goes on tomorrow, or once \`${name}\` is raised`;
}

/** The limit after a yes. What is spent beyond the limit is not taken from what is added. */
function raise({ kind, limit, spent }: BudgetUse): number {
  return Math.max(limit, spent) + (kind === "micros" ? dollar : limit);
}

function formatAmount(kind: BudgetKind, amount: number): string {
  if (kind === "micros") return formatUsd(amount);
  const count = Math.ceil(amount);
  return `${count.toLocaleString("en")} ${count === 1 ? kind.slice(0, -1) : kind}`;
}

const settings: Readonly<Record<BudgetScope, string>> = {
  run: "agent.budget.run",
  part: "agent.budget.run",
  "agent-day": "agent.budget.agentDay",
  "installation-day": "agent.budget.day",
};
