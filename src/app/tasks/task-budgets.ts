import { type BudgetSettings, toBudgetLimits } from "../../agent/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { type RunTree, TaskRunError } from "../../modules/tasks/index.ts";
import type { Spent } from "../../modules/usage/index.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { readBudget, readTaskLimits } from "./task-settings.ts";

/** The limits of a budget, as the meter counts them. */
type Limits = ReturnType<typeof toBudgetLimits>;
type Kind = "micros" | "tokens" | "steps";

const kinds = ["micros", "tokens", "steps"] as const satisfies readonly Kind[];

/** The budgets of one request of a run. */
export interface RunBudgets {
  readonly run?: Limits;
  readonly part?: { readonly runIds: readonly string[]; readonly limits: Limits; readonly workedMs?: number };
}

/** What the budgets of a run are found by. */
export interface RunBudgetOptions {
  readonly config: HaftConfig;
  /** How long the run has worked so far. */
  readonly workedMs: number;
}

/**
 * Finds the budgets of a run: that of its outermost run, and that of the nearest task above it, or of itself, which has
 * its own. What other tasks under way have reserved is taken from both.
 */
export async function findRunBudgets(
  tree: RunTree,
  run: Run,
  { config, workedMs }: RunBudgetOptions,
): Promise<RunBudgets> {
  const chain = await listChain(tree, run);
  const root = chain.at(-1) ?? run;
  const ownOfRoot = root.kind === "task" ? {} : readBudget(root);
  const whole = toLimits({ ...config.agent?.budget?.run, ...ownOfRoot });
  const part = chain.find((one) => one.kind === "task" && Object.keys(readBudget(one)).length > 0);
  const isLimited = Object.keys(whole).length > 0 || part !== undefined;
  const others = isLimited ? await listReserving(tree, run, chain) : [];
  const minutes = run.kind === "task" ? readTaskLimits(config).minutes : undefined;
  const below = part === undefined ? [] : others.filter(({ above }) => above.has(part.id));
  const ofPart = {
    ...(minutes !== undefined && { minutes }),
    ...(part !== undefined && reduce(toLimits(readBudget(part)), below)),
  };
  return {
    ...(Object.keys(whole).length > 0 && { run: reduce(whole, others) }),
    ...(Object.keys(ofPart).length > 0 && {
      part: { runIds: await tree.listPart(part ?? run), limits: ofPart, workedMs },
    }),
  };
}

/**
 * Checks that the budget of a task to start fits into what its parent has left.
 *
 * @throws {TaskRunError} TASK_BUDGET
 */
export async function checkReservation(
  tree: RunTree,
  parent: Run,
  { wanted, config }: { readonly wanted: BudgetSettings; readonly config: HaftConfig },
): Promise<void> {
  const asked = toLimits(wanted);
  if (kinds.every((kind) => asked[kind] === undefined)) return;
  await checkLeft(tree, parent, { asked, config });
}

/**
 * Checks that what a task to go on with has left of its budget fits into what the run that resumes it has left.
 *
 * @throws {TaskRunError} TASK_BUDGET
 */
export async function checkNextReservation(
  tree: RunTree,
  caller: Run,
  { last, config }: { readonly last: Run; readonly config: HaftConfig },
): Promise<void> {
  const limits = toLimits(readBudget(last));
  if (kinds.every((kind) => limits[kind] === undefined)) return;
  const spent = await tree.spent({ scope: last.scope, runIds: await tree.listPart(last) });
  await checkLeft(tree, caller, { asked: leave(limits, spent), config, isResumed: true });
}

async function checkLeft(
  tree: RunTree,
  parent: Run,
  { asked, config, isResumed = false }: AskedBudget,
): Promise<void> {
  const { run, part } = await findRunBudgets(tree, parent, { config, workedMs: 0 });
  const { scope, rootId } = parent;
  for (const { limits, spent } of [
    ...(run === undefined ? [] : [{ limits: run, spent: await tree.spent({ scope, rootId }) }]),
    ...(part === undefined
      ? []
      : [{ limits: part.limits, spent: await tree.spent({ scope, runIds: part.runIds }) }]),
  ])
    for (const kind of kinds) {
      const [limit, want] = [limits[kind], asked[kind]];
      const left = limit === undefined ? Number.POSITIVE_INFINITY : limit - readSpent(spent, kind);
      if (want !== undefined && want > left)
        throw tooMuch(kind, { want, left: Math.max(0, left), isResumed });
    }
}

interface AskedBudget {
  readonly asked: Limits;
  readonly config: HaftConfig;
  /** Whether the task had its budget before. @default false */
  readonly isResumed?: boolean;
}

function tooMuch(
  kind: Kind,
  { want, left, isResumed }: { readonly want: number; readonly left: number; readonly isResumed: boolean },
): TaskRunError {
  const rest = `${formatAmount(kind, left)} of your own budget are left that no other task has reserved`;
  return new TaskRunError(
    "TASK_BUDGET",
    isResumed
      ? `Cannot go on with a task that has ${formatAmount(kind, want)} of its budget left: ${rest}; wait until another task has ended, or start a new one with less`
      : `Cannot start a task with ${formatAmount(kind, want)}: ${rest}; give it less, or no budget of its own`,
    { details: { kind, left } },
  );
}

function formatAmount(kind: Kind, amount: number): string {
  return kind === "micros" ? `$${(amount / 1_000_000).toFixed(4)}` : `${Math.floor(amount)} ${kind}`;
}

/** A task under way with a budget of its own, and what is left of that. */
interface Reserving {
  readonly above: ReadonlySet<string>;
  readonly left: Limits;
}

/** The tasks beside a run, and below it, that have reserved something: of nested ones, the outermost. */
async function listReserving(tree: RunTree, run: Run, chain: readonly Run[]): Promise<readonly Reserving[]> {
  const { scope, rootId } = run;
  const budgeted = (await tree.listLive(scope, rootId)).filter(
    (one) =>
      one.kind === "task" &&
      Object.keys(readBudget(one)).length > 0 &&
      !chain.some(({ sessionId }) => sessionId === one.sessionId),
  );
  const found: Reserving[] = [];
  for (const one of budgeted) {
    const above = new Set((await listChain(tree, one)).slice(1).map(({ id }) => id));
    if (budgeted.some(({ id }) => above.has(id))) continue;
    const spent = await tree.spent({ scope, runIds: await tree.listPart(one) });
    found.push({ above, left: leave(toLimits(readBudget(one)), spent) });
  }
  return found;
}

/** A run, and those above it. */
async function listChain(tree: RunTree, run: Run): Promise<readonly Run[]> {
  const chain = [run];
  for (let { parentId } = run; parentId !== undefined; ) {
    const above = await tree.get(run.scope, parentId);
    if (above !== undefined) chain.push(above);
    parentId = above?.parentId;
  }
  return chain;
}

/** What is left of limits. A kind without a limit stays without. */
function leave(limits: Limits, spent: Spent): Limits {
  const left: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) {
    const limit = limits[kind];
    if (limit !== undefined) left[kind] = Math.max(0, limit - readSpent(spent, kind));
  }
  return left;
}

function reduce(limits: Limits, others: readonly Reserving[]): Limits {
  const reduced: Record<string, number> = { ...limits };
  for (const kind of kinds) {
    const limit = limits[kind];
    if (limit !== undefined)
      reduced[kind] = others.reduce((left, other) => left - (other.left[kind] ?? 0), limit);
  }
  return reduced;
}

function readSpent(spent: Spent, kind: Kind): number {
  return kind === "micros" ? spent.costMicros : spent[kind];
}

function toLimits(settings: BudgetSettings): Limits {
  return toBudgetLimits(settings);
}
