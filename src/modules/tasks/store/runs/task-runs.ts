import type { Json } from "../../../../base/index.ts";
import type { Trust } from "../../../../kernel/index.ts";
import type { Run } from "../../../sessions/index.ts";
import type { Task } from "../tasks.ts";
import type { TaskLimits } from "./limits.ts";
import type { RunTree } from "./run-tree.ts";
import type { StopRequest } from "./stop-runs.ts";

/** A task that a run works on, with that run: the last one, if it has ended. */
export interface TaskRun {
  readonly task: Task;
  readonly run: Run;
}

/** A task to start, with its first run. */
export interface NewTaskRun {
  readonly scope: string;
  readonly projectId: string;
  /** The run that starts it. @default nobody's: its result is delivered to no conversation */
  readonly parentRunId?: string;
  readonly agentId: string;
  /** What it is, in at most 200 characters. */
  readonly description: string;
  /** What is to be done. */
  readonly input: string;
  /** Stored with its run. */
  readonly settings: Json;
  readonly trust: Trust;
  /** The project folder that it works in, canonical. */
  readonly project?: string;
  readonly limits: TaskLimits;
  /**
   * Checks, in the transaction that starts the task, that its budget is available; an error refuses the task. No other
   * task is started meanwhile. Not called for a task without a parent.
   */
  readonly reserve?: (tree: RunTree, parent: Run) => Promise<void>;
  /** The task that was started with this key is returned instead of a second one. */
  readonly key?: string;
}

/** A task to go on with. */
export interface ResumedTaskRun {
  readonly scope: string;
  readonly taskId: string;
  /** The run that resumes it. @default nobody's */
  readonly callerRunId?: string;
  readonly input: string;
  readonly trust: Trust;
  readonly limits: TaskLimits;
  /** Makes the settings of the next run out of those of the last. @default they stay */
  readonly changeSettings?: (settings: Readonly<Record<string, Json>>) => Readonly<Record<string, Json>>;
  /** Like that of a {@link NewTaskRun}: a task that goes on reserves what is left of its budget again. */
  readonly reserve?: (tree: RunTree, caller: Run, last: Run) => Promise<void>;
  /** The same message is stored once. */
  readonly key?: string;
}

/** Which tasks to list. The newest first. */
export interface TaskRunQuery {
  readonly scope: string;
  /** Created at this time or later, Unix ms. */
  readonly since?: number;
  /** Created before this time, Unix ms. */
  readonly until?: number;
  readonly states?: readonly Run["state"][];
  /** 1 to 200. */
  readonly limit: number;
}

/** Who reads the results of tasks. */
export interface TaskReader {
  /** The session of the run that reads. */
  readonly sessionId: string;
  /** The call whose result shows them. @default none: the messages about them are shown as well */
  readonly callId?: string;
}

/**
 * Tasks that runs of the agent work on. A task, its run, its first message and the job that drives it are one
 * transaction, as are the end of a run, the state of its task and the message to whoever started it.
 */
export interface TaskRuns {
  /** @throws {TaskRunError} TASK_LIMIT */
  start(task: NewTaskRun): Promise<TaskRun>;
  /**
   * Gives a task that ended or paused a next run, with a message. One that is under way reads the message at its next
   * step.
   *
   * @throws {TaskRunError} TASK_UNKNOWN, TASK_LIMIT
   */
  resume(resumed: ResumedTaskRun): Promise<TaskRun>;
  /** @throws {TaskRunError} TASK_UNKNOWN names the nearest ids. */
  require(scope: string, taskId: string): Promise<TaskRun>;
  list(query: TaskRunQuery): Promise<readonly TaskRun[]>;
  /** Whether runs of this session started the task, or one that started it. */
  isBelow(run: Run, sessionId: string): Promise<boolean>;
  /**
   * Ends a run of a task and those below it, and takes back what they ask, in one transaction.
   *
   * @returns the ids of the runs that this ended
   */
  stop(request: StopRequest): Promise<readonly string[]>;
  /** Reads runs with those above and below them, and what they have spent. */
  read<Value>(look: (tree: RunTree) => Promise<Value>): Promise<Value>;
  /** Which of these runs have a message about their end that the reader has not read. The call of the reader shows them, so that they are not shown again. */
  claimResults(scope: string, runIds: readonly string[], reader: TaskReader): Promise<ReadonlySet<string>>;
  /** The tasks under way that runs of a session started. */
  listLive(scope: string, sessionId: string): Promise<readonly TaskRun[]>;
}
