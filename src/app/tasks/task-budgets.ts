import { type BudgetSettings, toBudgetLimits } from "../../agent/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { TaskRunError } from "../../modules/tasks/index.ts";
import type { Spent } from "../../modules/usage/index.ts";
import type { HaftConfig } from "../config/config-types.ts";
import type { Store } from "../store/open-store.ts";
import { readBudget, readTaskLimits } from "./task-settings.ts";

/** The limits of a budget, as the meter counts them. */
type Limits = ReturnType<typeof toBudgetLimits>;
type Kind = "micros" | "tokens" | "steps";

const kinds = ["micros", "tokens", "steps"] as const satisfies readonly Kind[];

/** What is needed to find the budgets of a run. */
export interface TaskBudgetParts {
  readonly store: Pick<Store, "runs" | "taskRuns" | "usage">;
  readonly config: HaftConfig;
}

/** The budgets of one request of a run. */
export interface RunBudgets {
  readonly run?: Limits;
  readonly part?: { readonly runIds: readonly string[]; readonly limits: Limits; readonly workedMs?: number };
}

const live = ["pending", "running", "parked"] as const;

/**
 * Finds the budgets of a run: that of its outermost run, and that of the nearest task above it, or of itself, which has
 * its own. What other tasks under way have reserved is taken from both.
 */
export async function findRunBudgets(
  run: Run,
  { store, config, workedMs }: TaskBudgetParts & { readonly workedMs: number },
): Promise<RunBudgets> {
  const chain = await listChain(run, store.runs);
  const root = chain.at(-1) ?? run;
  const ownOfRoot = root.kind === "task" ? {} : readBudget(root);
  const whole = toLimits({ ...config.agent?.budget?.run, ...ownOfRoot });
  const part = chain.find((one) => one.kind === "task" && Object.keys(readBudget(one)).length > 0);
  const isLimited = Object.keys(whole).length > 0 || part !== undefined;
  const others = isLimited ? await listReserving(run, chain, store) : [];
  const minutes = run.kind === "task" ? readTaskLimits(config).minutes : undefined;
  const below = part === undefined ? [] : others.filter(({ above }) => above.has(part.id));
  const ofPart = {
    ...(minutes !== undefined && { minutes }),
    ...(part !== undefined && reduce(toLimits(readBudget(part)), below)),
  };
  return {
    ...(Object.keys(whole).length > 0 && { run: reduce(whole, others) }),
    ...(Object.keys(ofPart).length > 0 && {
      part: { runIds: await store.taskRuns.listPart(part ?? run), limits: ofPart, workedMs },
    }),
  };
}

/**
 * Checks that the budget of a task to start fits into what its parent has left.
 *
 * @throws {TaskRunError} TASK_BUDGET
 */
export async function checkReservation(
  parent: Run,
  wanted: BudgetSettings,
  parts: TaskBudgetParts,
): Promise<void> {
  const asked = toLimits(wanted);
  const { run, part } = await findRunBudgets(parent, { ...parts, workedMs: 0 });
  const { usage } = parts.store;
  const { scope, rootId } = parent;
  for (const { limits, spent } of [
    ...(run === undefined ? [] : [{ limits: run, spent: await usage.spent({ scope, rootId }) }]),
    ...(part === undefined
      ? []
      : [{ limits: part.limits, spent: await usage.spent({ scope, runIds: part.runIds }) }]),
  ])
    for (const kind of kinds) {
      const [limit, want] = [limits[kind], asked[kind]];
      const left = limit === undefined ? Number.POSITIVE_INFINITY : limit - readSpent(spent, kind);
      if (want !== undefined && want > left) throw tooMuch(kind, want, Math.max(0, left));
    }
}

function tooMuch(kind: Kind, want: number, left: number): TaskRunError {
  return new TaskRunError(
    "TASK_BUDGET",
    `Cannot start a task with ${formatAmount(kind, want)}: ${formatAmount(kind, left)} of your own budget are left that no other task has reserved; give it less, or no budget of its own`,
    { details: { kind, left } },
  );
}

function formatAmount(kind: Kind, amount: number): string {
  return kind === "micros" ? `$${(amount / 1_000_000).toFixed(4)}` : `${Math.floor(amount)} ${kind}`;
}

/** A task under way with a budget of its own, and what is left of that. */
interface Reserving {
  readonly above: ReadonlySet<string>;
  readonly left: Readonly<Record<Kind, number>>;
}

/** The tasks beside a run, and below it, that have reserved something: of nested ones, the outermost. */
async function listReserving(
  run: Run,
  chain: readonly Run[],
  { runs, taskRuns, usage }: TaskBudgetParts["store"],
): Promise<readonly Reserving[]> {
  const { scope, rootId } = run;
  const inTree = await runs.list({ scope, rootId, states: live, limit: 1_000 });
  const budgeted = inTree.filter(
    (one) =>
      one.kind === "task" &&
      Object.keys(readBudget(one)).length > 0 &&
      !chain.some(({ sessionId }) => sessionId === one.sessionId),
  );
  const found: Reserving[] = [];
  for (const one of budgeted) {
    const above = new Set((await listChain(one, runs)).slice(1).map(({ id }) => id));
    if (budgeted.some(({ id }) => above.has(id))) continue;
    const spent = await usage.spent({ scope, runIds: await taskRuns.listPart(one) });
    const limits = toLimits(readBudget(one));
    const left = (kind: Kind) => Math.max(0, (limits[kind] ?? 0) - readSpent(spent, kind));
    found.push({
      above,
      left: { micros: left("micros"), tokens: left("tokens"), steps: left("steps") },
    });
  }
  return found;
}

/** A run, and those above it. */
async function listChain(run: Run, runs: Pick<Store["runs"], "get">): Promise<readonly Run[]> {
  const chain = [run];
  for (let { parentId } = run; parentId !== undefined; ) {
    const above = await runs.get(run.scope, parentId);
    if (above !== undefined) chain.push(above);
    parentId = above?.parentId;
  }
  return chain;
}

function reduce(limits: Limits, others: readonly Reserving[]): Limits {
  const reduced: Record<string, number> = { ...limits };
  for (const kind of kinds) {
    const limit = limits[kind];
    if (limit !== undefined) reduced[kind] = others.reduce((left, other) => left - other.left[kind], limit);
  }
  return reduced;
}

function readSpent(spent: Spent, kind: Kind): number {
  return kind === "micros" ? spent.costMicros : spent[kind];
}

function toLimits(settings: BudgetSettings): Limits {
  return toBudgetLimits(settings);
}
