import type { MaybePromise } from "../../../../base/index.ts";
import type { Trust } from "../../../../kernel/index.ts";
import type { RunState } from "../../../sessions/index.ts";

/** Whoever calls a tool about tasks. */
export interface TaskCaller {
  readonly scope: string;
  /** The run whose model made the call; undefined for a person, or another program. */
  readonly runId: string | undefined;
  readonly callId: string;
  /** Whether another call made this one, so that no model need ever see its result. */
  readonly isInner: boolean;
  readonly trust: Trust;
  /** Waits without keeping other calls from their turn. */
  readonly wait: <Value>(act: (signal: AbortSignal) => MaybePromise<Value>) => Promise<Value>;
}

/** Limits that whoever starts a task gives it. */
export interface TaskBudget {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  readonly steps?: number | undefined;
}

/** A task to start. */
export interface WantedTask {
  readonly description: string;
  readonly input: string;
  /** @default the caller's own */
  readonly agent?: string | undefined;
  readonly budget?: TaskBudget | undefined;
}

/** How a task stands. */
export interface TaskStanding {
  readonly taskId: string;
  readonly state: RunState;
  readonly why?: string;
  /** What a parked or paused task needs to go on. */
  readonly waitingFor?: string;
  /** Its last text. Absent while it works, and where it was told before. */
  readonly result?: string;
  /** Whether its result was told before. */
  readonly told?: true;
  readonly trust: Trust;
}

/** One row of the list of tasks. */
export interface ListedTask {
  readonly taskId: string;
  readonly description: string;
  readonly state: RunState;
  readonly startedAt: number;
  readonly steps: number;
  /** Undefined where the cost is not known. */
  readonly costUsd: number | undefined;
  readonly agent: string;
  readonly trust: Trust;
}

/** A page of what was said in a task. */
export interface ReplayedTask {
  readonly taskId: string;
  readonly lines: readonly { readonly n: number; readonly from: string; readonly text: string }[];
  /** The number of the next line; undefined at the end. */
  readonly next: number | undefined;
  readonly trust: Trust;
}

/** Starts, watches and ends tasks for the tools. */
export interface TaskDesk {
  /** @throws {TaskRunError} TASK_LIMIT, TASK_BUDGET; {AgentSetupError} AGENT_UNKNOWN, AGENT_MODEL */
  start(task: WantedTask, caller: TaskCaller): Promise<TaskStanding>;
  /** @throws {TaskRunError} TASK_UNKNOWN, TASK_NOT_YOURS, TASK_LIMIT */
  resume(taskId: string, input: string, caller: TaskCaller): Promise<TaskStanding>;
  /**
   * Waits until one of the tasks has ended or needs somebody, or all of them, or the time is over.
   *
   * @throws {TaskRunError} TASK_UNKNOWN, TASK_NOT_YOURS, TASK_WAIT_CYCLE; TASK_WAITING: the run of the caller is to be
   * parked, and the call made again once `details.waitFor` has come.
   */
  wait(
    taskIds: readonly string[],
    options: { readonly seconds: number; readonly all: boolean },
    caller: TaskCaller,
  ): Promise<readonly TaskStanding[]>;
  /** False where it had ended. @throws {TaskRunError} TASK_UNKNOWN, TASK_NOT_YOURS */
  stop(taskId: string, caller: TaskCaller): Promise<boolean>;
  list(
    query: {
      readonly date?: string | undefined;
      readonly state?: RunState | undefined;
      readonly limit: number;
    },
    caller: TaskCaller,
  ): Promise<readonly ListedTask[]>;
  /** @throws {TaskRunError} TASK_UNKNOWN */
  replay(
    taskId: string,
    page: { readonly from: number; readonly limit: number },
    caller: TaskCaller,
  ): Promise<ReplayedTask>;
}
