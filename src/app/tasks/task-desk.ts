import { toFirstAttempt } from "../../agent/index.ts";
import { type Clock, formatDay, type Json, systemClock, systemZone, type Zone } from "../../base/index.ts";
import { defaultAgent, type Mode } from "../../kernel/index.ts";
import { type Run, type RunState, readWaits } from "../../modules/sessions/index.ts";
import {
  isHalted,
  type ListedTask,
  type ReplayedTask,
  stoppedByParent,
  type TaskCaller,
  type TaskDesk,
  type TaskRun,
  TaskRunError,
  type TaskStanding,
  type WantedTask,
} from "../../modules/tasks/index.ts";
import type { AgentHost } from "../agent/agent-host.ts";
import { limitMode } from "../agent/resumed-mode.ts";
import { readSettings } from "../agent/turn-settings.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { makeProjectId } from "../project-id.ts";
import type { Store } from "../store/open-store.ts";
import { replayTask } from "./replay-task.ts";
import { showTask } from "./show-task.ts";
import { stopRun } from "./stop-run.ts";
import { checkNextReservation, checkReservation } from "./task-budgets.ts";
import { readTaskLimits } from "./task-settings.ts";
import { TaskWaiter } from "./wait-for-tasks.ts";

/** Services of an installation that its tasks use. */
export interface TaskDeskServices {
  readonly folder: string;
  readonly mode: Mode;
  readonly loaded: { readonly config: HaftConfig };
  readonly store: () => Promise<Store>;
  readonly agent: () => Promise<AgentHost>;
  /** Looks for work that was stored just now. */
  readonly wake: () => void;
  readonly clock?: Clock;
  readonly zone?: Zone;
}

/** The {@link TaskDesk} of one installation. */
export class AppTaskDesk implements TaskDesk {
  readonly #app: TaskDeskServices;
  readonly #clock: Clock;
  readonly #zone: Zone;

  constructor(app: TaskDeskServices) {
    this.#app = app;
    this.#clock = app.clock ?? systemClock;
    this.#zone = app.zone ?? systemZone;
  }

  async start(
    { description, input, agent, budget = {} }: WantedTask,
    caller: TaskCaller,
  ): Promise<TaskStanding> {
    const { scope, callId } = caller;
    const store = await this.#app.store();
    const { config } = this.#app.loaded;
    const parent = await this.#findParent(store, caller);
    const agentId = agent ?? parent?.agentId ?? defaultAgent;
    const wanted = {
      ...(budget.usd !== undefined && { usd: budget.usd }),
      ...(budget.tokens !== undefined && { tokens: budget.tokens }),
      ...(budget.steps !== undefined && { steps: budget.steps }),
    };
    const host = await this.#app.agent();
    const { mode, allowedTools, model: ownModel } = parent === undefined ? {} : readSettings(parent);
    const model = agentId === parent?.agentId ? ownModel : undefined;
    const settings = await host.chooseTaskSettings(agentId, {
      budget: wanted,
      ...(mode !== undefined && { mode }),
      ...(model !== undefined && { model }),
      ...(allowedTools !== undefined && { allowedTools }),
    });
    const started = await store.taskRuns.start({
      scope,
      projectId: makeProjectId(this.#app.folder),
      agentId,
      description,
      input,
      settings,
      trust: worse(caller.trust, parent),
      project: this.#app.folder,
      limits: readTaskLimits(config),
      reserve: (tree, above) => checkReservation(tree, above, { wanted, config }),
      key: `spawn ${toFirstAttempt(callId)}`,
      ...(parent !== undefined && { parentRunId: parent.id }),
    });
    this.#app.wake();
    return this.#show(store, started, { isNew: false });
  }

  async resume(taskId: string, input: string, caller: TaskCaller): Promise<TaskStanding> {
    const store = await this.#app.store();
    const { scope, runId, callId, trust } = caller;
    await this.#requireOwn(store, taskId, caller, "go on with");
    const parent = await this.#findParent(store, caller);
    const { config } = this.#app.loaded;
    const resumed = await store.taskRuns.resume({
      scope,
      taskId,
      input,
      trust: worse(trust, parent),
      limits: readTaskLimits(config),
      reserve: (tree, by, last) => checkNextReservation(tree, by, { last, config }),
      key: toFirstAttempt(callId),
      ...(runId !== undefined && { callerRunId: runId }),
      ...(parent !== undefined && { changeSettings: (last) => this.#limit(last, parent) }),
    });
    this.#app.wake();
    return this.#show(store, resumed, { isNew: false });
  }

  async wait(
    taskIds: readonly string[],
    { seconds, all }: { readonly seconds: number; readonly all: boolean },
    caller: TaskCaller,
  ): Promise<readonly TaskStanding[]> {
    const store = await this.#app.store();
    const host = await this.#app.agent();
    const reader = await this.#findParent(store, caller);
    const waiter = new TaskWaiter({ store, driven: host.driven, clock: this.#clock });
    const find = () => this.#findTree(store, taskIds, caller);
    const halted = (await find()).filter(({ run }) => isHalted(run));
    const told = await this.#listTold(store, halted, reader, { scope: caller.scope });
    const found = await waiter.wait({ ms: seconds * 1000, all, reader, told }, caller, find);
    return this.#showAll(store, found, reader, caller);
  }

  async stop(taskId: string, caller: TaskCaller): Promise<boolean> {
    const store = await this.#app.store();
    const { run } = await this.#requireOwn(store, taskId, caller, "stop");
    const why = caller.runId === undefined ? "stopped by a person" : stoppedByParent;
    return stopRun({ store, agent: this.#app.agent }, { scope: caller.scope, runId: run.id, why });
  }

  async list(
    { date, state, limit }: { readonly date?: string; readonly state?: RunState; readonly limit: number },
    { scope }: TaskCaller,
  ): Promise<readonly ListedTask[]> {
    const store = await this.#app.store();
    const [since, until] = this.#findDay(date);
    const found = await store.taskRuns.list({
      scope,
      limit,
      since,
      until,
      ...(state !== undefined && { states: [state] }),
    });
    return Promise.all(
      found.map(async ({ task, run }): Promise<ListedTask> => {
        const spent = await store.taskRuns.read(async (tree) =>
          tree.spent({ scope, runIds: await tree.listPart(run) }),
        );
        const isKnown = spent.unpricedModels.length === 0;
        return {
          taskId: task.id,
          description: task.title,
          state: run.state,
          startedAt: task.createdAt,
          steps: run.steps,
          costUsd: isKnown ? spent.costMicros / 1_000_000 : undefined,
          agent: run.agentId,
          trust: task.trust,
        };
      }),
    );
  }

  async replay(
    taskId: string,
    page: { readonly from: number; readonly limit: number },
    { scope }: TaskCaller,
  ): Promise<ReplayedTask> {
    const { sessions, taskRuns } = await this.#app.store();
    const { run } = await taskRuns.require(scope, taskId);
    return replayTask(sessions, run, { taskId, ...page });
  }

  /** The settings with which a task goes on for a run: it can do no more than that run. */
  #limit(last: Readonly<Record<string, Json>>, parent: Run): Readonly<Record<string, Json>> {
    const own = readSettings({ settings: last, kind: "task" }).mode;
    const mode = limitMode(own, { run: readSettings(parent).mode, process: this.#app.mode });
    const { mode: _, ...settings } = last;
    return { ...settings, ...(mode !== undefined && { mode }) };
  }

  /** The run that makes the call; undefined for a person, or another program. */
  async #findParent(
    { runs }: Pick<Store, "runs">,
    { scope, runId }: Pick<TaskCaller, "scope" | "runId">,
  ): Promise<Run | undefined> {
    return runId === undefined ? undefined : runs.get(scope, runId);
  }

  /** @throws {TaskRunError} TASK_UNKNOWN; TASK_NOT_YOURS: another conversation started it. */
  async #requireOwn(
    { taskRuns, runs }: Store,
    taskId: string,
    { scope, runId }: TaskCaller,
    what: string,
  ): Promise<TaskRun> {
    const found = await taskRuns.require(scope, taskId);
    const caller = await this.#findParent({ runs }, { scope, runId });
    if (caller === undefined || (await taskRuns.isBelow(found.run, caller.sessionId))) return found;
    throw new TaskRunError(
      "TASK_NOT_YOURS",
      `Cannot ${what} the task "${taskId}": another conversation started it; a person can, with \`haft tasks\``,
      { details: { taskId } },
    );
  }

  /**
   * The tasks to wait for: of the caller's own tree, and none that waits for the caller.
   *
   * @throws {TaskRunError} TASK_UNKNOWN, TASK_NOT_YOURS, TASK_WAIT_CYCLE
   */
  async #findTree(
    { taskRuns, runs }: Store,
    taskIds: readonly string[],
    { scope, runId }: TaskCaller,
  ): Promise<readonly TaskRun[]> {
    const caller = await this.#findParent({ runs }, { scope, runId });
    const root = caller && (await runs.get(scope, caller.rootId));
    const found: TaskRun[] = [];
    for (const taskId of taskIds) {
      const one = await taskRuns.require(scope, taskId);
      if (caller !== undefined)
        await this.#checkWait({ taskRuns, runs }, one, { caller, root: root ?? caller });
      found.push(one);
    }
    return found;
  }

  async #checkWait(
    { taskRuns, runs }: Pick<Store, "taskRuns" | "runs">,
    { task, run }: TaskRun,
    { caller, root }: { readonly caller: Run; readonly root: Run },
  ): Promise<void> {
    const details = { taskId: task.id };
    const isAbove = run.sessionId === caller.sessionId || (await taskRuns.isBelow(caller, run.sessionId));
    if (isAbove || (await isWaitingFor(runs, run, caller)))
      throw new TaskRunError(
        "TASK_WAIT_CYCLE",
        `Cannot wait for the task "${task.id}": it waits for you${isAbove ? ", as you are a part of it" : ""}; go on without its result`,
        { details },
      );
    if (!(await taskRuns.isBelow(run, root.sessionId)))
      throw new TaskRunError(
        "TASK_NOT_YOURS",
        `Cannot wait for the task "${task.id}": another conversation started it; task_replay shows what it did`,
        { details },
      );
  }

  async #showAll(
    store: Store,
    found: readonly TaskRun[],
    reader: Run | undefined,
    { scope, callId, isInner }: TaskCaller,
  ): Promise<readonly TaskStanding[]> {
    const halted = found.filter(({ run }) => isHalted(run));
    const told = await this.#listTold(store, halted, reader, {
      scope,
      ...(!isInner && { callId: toFirstAttempt(callId) }),
    });
    const mostResultChars = Math.floor(mostShownChars / Math.max(1, halted.length));
    return Promise.all(
      found.map((one) => this.#show(store, one, { isNew: !told.has(one.run.id), mostResultChars })),
    );
  }

  /** The runs whose end the reader was told before. Of the others, the call shows it now, if there is one. */
  async #listTold(
    store: Store,
    halted: readonly TaskRun[],
    reader: Run | undefined,
    { scope, callId }: { readonly scope: string; readonly callId?: string },
  ): Promise<ReadonlySet<string>> {
    if (reader === undefined) return new Set();
    // Only the conversation that started a task has a message about its end.
    const own: string[] = [];
    for (const { run } of halted) if (await this.#isParent(store, reader, run)) own.push(run.id);
    const fresh = await store.taskRuns.claimResults(scope, own, {
      sessionId: reader.sessionId,
      ...(callId !== undefined && { callId }),
    });
    return new Set(own.filter((id) => !fresh.has(id)));
  }

  async #isParent({ runs }: Store, { scope, sessionId }: Run, { parentId }: Run): Promise<boolean> {
    return parentId !== undefined && (await runs.get(scope, parentId))?.sessionId === sessionId;
  }

  async #show(
    { sessions }: Store,
    one: TaskRun,
    options: { readonly isNew: boolean; readonly mostResultChars?: number },
  ): Promise<TaskStanding> {
    return showTask(one, { ...options, trust: await sessions.shownTrust(one.run) });
  }

  /** The first and the next midnight of a day. */
  #findDay(date: string | undefined): readonly [number, number] {
    const day = date ?? formatDay(this.#clock.now(), this.#zone);
    const [year = 0, month = 1, number = 1] = day.split("-").map(Number);
    const at = (of: number) => this.#zone.fromWallTime(Date.UTC(year, month - 1, of));
    return [at(number), at(number + 1)];
  }
}

/** Characters of results in one answer. */
const mostShownChars = 32_000;

/** Whether a run waits for another, by itself or through others. */
async function isWaitingFor(runs: Pick<Store["runs"], "get">, run: Run, other: Run): Promise<boolean> {
  const seen = new Set<string>();
  const open: Run[] = [run];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (seen.has(one.id) || one.state !== "parked") continue;
    seen.add(one.id);
    for (const wait of readWaits(one.waitFor)) {
      if (wait.for !== "run" && wait.for !== "halt") continue;
      if (wait.id === other.id) return true;
      const next = await runs.get(run.scope, wait.id);
      if (next !== undefined) open.push(next);
    }
  }
  return false;
}

function worse(trust: Run["trust"], parent: Run | undefined): Run["trust"] {
  return trust === "untrusted" || parent?.trust === "untrusted" ? "untrusted" : "trusted";
}
