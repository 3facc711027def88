import type { Trust } from "../../../kernel/index.ts";
import type { TaskEvent, TaskState } from "./states.ts";

/** What kind of work a task is. */
export const taskTypes = [
  "feature",
  "bugfix",
  "refactor",
  "test",
  "docs",
  "chore",
  "research",
  "plan",
] as const;

/** One of {@link taskTypes}. */
export type TaskType = (typeof taskTypes)[number];

/** Who checks that a task is done. */
export const verifications = ["auto_test", "qa_agent", "human"] as const;

/** One of {@link verifications}. */
export type Verification = (typeof verifications)[number];

/** Work to be done, whoever does it. */
export interface Task {
  /** Two words, unique in its scope: `brave-fox`, or `brave-fox-2` where that is taken. */
  readonly id: string;
  readonly scope: string;
  readonly projectId: string;
  /** The task that it is a part of. */
  readonly parentId: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly type: TaskType | undefined;
  /** Lower comes first. */
  readonly priority: number;
  readonly state: TaskState;
  readonly verification: Verification;
  readonly requiresApproval: boolean;
  readonly retries: number;
  readonly maxRetries: number;
  readonly profileId: string | undefined;
  readonly workspaceId: string | undefined;
  readonly branch: string | undefined;
  readonly prUrl: string | undefined;
  readonly isPlanSubtask: boolean;
  /** Who has it, or ended it. */
  readonly agentId: string | undefined;
  /** When another may claim it. Undefined where nobody has it, or where a run has it: that has its own lease. */
  readonly leaseUntil: number | undefined;
  /** The run that works on it, or did last. */
  readonly runId: string | undefined;
  readonly sessionId: string | undefined;
  /** Unix ms: a paused task is ready again then. */
  readonly resumeAfter: number | undefined;
  /** The worst trust of what its text was made of. */
  readonly trust: Trust;
  /** Grows with each change. */
  readonly version: number;
  readonly createdAt: number;
  readonly changedAt: number;
  /** When it came into the state that it is in. */
  readonly stateAt: number;
  readonly archivedAt: number | undefined;
}

/** A task to create. */
export interface NewTask {
  readonly scope: string;
  readonly projectId: string;
  /** 1 to 200 characters. */
  readonly title: string;
  /** At most 50,000 characters. @default the title */
  readonly description?: string;
  readonly parentId?: string;
  readonly type?: TaskType;
  /** @default 100 */
  readonly priority?: number;
  /** @default "auto_test" */
  readonly verification?: Verification;
  /** @default false */
  readonly requiresApproval?: boolean;
  /** @default 3 */
  readonly maxRetries?: number;
  readonly profileId?: string;
  readonly workspaceId?: string;
  /** Ids of tasks that have to be completed before. @default none */
  readonly dependsOn?: readonly string[];
  readonly notes?: readonly NewTaskNote[];
  /** @default "trusted" */
  readonly trust?: Trust;
  /** The task that was created with this key is returned instead of a second one. */
  readonly idempotencyKey?: string;
  /** Who creates it. */
  readonly by?: string;
}

/** Fields to change. Null clears one. */
export interface TaskEdit {
  readonly projectId?: string;
  readonly title?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly type?: TaskType | null;
  readonly verification?: Verification;
  readonly maxRetries?: number;
  readonly profileId?: string | null;
  /** Becomes the task's trust where it is worse. */
  readonly trust?: Trust;
}

/** `upstream_summary`: what a task that it depends on came to. `reflection`: what was learnt from it. */
export const noteKinds = [
  "feedback",
  "plan",
  "attachment",
  "upstream_summary",
  "answer",
  "reflection",
] as const;

/** One of {@link noteKinds}. */
export type TaskNoteKind = (typeof noteKinds)[number];

/** Something told about a task after it was created. */
export interface NewTaskNote {
  readonly kind: TaskNoteKind;
  /** @default "" */
  readonly label?: string;
  /** At most 50,000 characters. */
  readonly text: string;
  /** @default "trusted" */
  readonly trust?: Trust;
}

/** A stored {@link NewTaskNote}. */
export interface TaskNote extends Required<NewTaskNote> {
  readonly seq: number;
  readonly at: number;
}

/** How an attempt ended. `skipped`: a person let others go on without it. */
export const taskOutcomes = [
  "completed",
  "failed",
  "stopped",
  "skipped",
  "paused_tokens",
  "paused_rate_limit",
  "waiting_input",
] as const;

/** One of {@link taskOutcomes}. */
export type TaskOutcome = (typeof taskOutcomes)[number];

/** What an attempt at a task came to. */
export interface NewTaskResult {
  readonly outcome: TaskOutcome;
  /** At most 50,000 characters. @default "" */
  readonly summary?: string;
  /** @default none */
  readonly filesChanged?: readonly string[];
  readonly error?: string;
  /** @default 0 */
  readonly tokens?: number;
  /** @default the task's */
  readonly trust?: Trust;
}

/** A stored {@link NewTaskResult}. */
export interface TaskResult {
  readonly seq: number;
  readonly taskId: string;
  readonly agentId: string | undefined;
  readonly runId: string | undefined;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly outcome: TaskOutcome;
  readonly summary: string;
  readonly filesChanged: readonly string[];
  readonly error: string | undefined;
  readonly tokens: number;
  readonly trust: Trust;
  readonly at: number;
}

/**
 * What is told of a task beside its events. `DEPS_UNMET`: it was ready, and waits again because something that it
 * depends on is to be done again.
 */
export const taskNews = [
  "CREATED",
  "EDITED",
  "DEPS_ADDED",
  "DEPS_REMOVED",
  "DEPS_UNMET",
  "ARCHIVED",
  "RESTORED",
  "DELETED",
] as const;

/** One of {@link taskNews}. */
export type TaskNews = (typeof taskNews)[number];

/** A change of a task's state or of what it depends on, or its creation, archive or deletion. */
export interface TaskHappening {
  readonly seq: number;
  readonly at: number;
  readonly taskId: string;
  readonly projectId: string;
  readonly event: TaskEvent | TaskNews;
  readonly from: TaskState | undefined;
  readonly to: TaskState | undefined;
  /** Who did it: an agent, `owner`, or nobody in particular. */
  readonly by: string | undefined;
  /** A sentence of why. */
  readonly why: string | undefined;
}

/** What goes with a change of state. */
export interface TaskChange {
  readonly by?: string;
  /** A sentence of why, at most 1,000 characters. */
  readonly why?: string;
  readonly note?: NewTaskNote;
  readonly result?: NewTaskResult;
  readonly agentId?: string | null;
  readonly runId?: string | null;
  readonly sessionId?: string | null;
  readonly branch?: string | null;
  readonly prUrl?: string | null;
  readonly resumeAfter?: number | null;
  /** Counts up: a retry. Sets to 0: a restart. @default as it is */
  readonly retries?: number;
}

/** Which tasks to list. The most urgent first, by priority, then age; of the archive, the last archived first. */
export interface TaskQuery {
  readonly scope: string;
  readonly projectId?: string;
  readonly states?: readonly TaskState[];
  readonly notStates?: readonly TaskState[];
  readonly parentId?: string;
  /** True: those in the archive alone. @default false: those that are not */
  readonly archived?: boolean;
  /** 1 to 1,000. @default 200 */
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly cursor?: string;
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  /** How many there are on all pages. */
  readonly total: number;
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

/** Both ends of the edges of a task. */
export interface TaskEdges {
  readonly dependsOn: readonly Task[];
  readonly blocks: readonly Task[];
}

/** A task in a tree, as deep as it was asked for. */
export interface TaskNode {
  readonly task: Task;
  readonly depth: number;
  readonly children: readonly TaskNode[];
}

/** A task that stopped, and what can't begin because of it. */
export interface StuckChain {
  readonly task: Task;
  /** At most 200, the nearest first. */
  readonly downstream: readonly Task[];
  /** How many there are. */
  readonly count: number;
}

/** A task that somebody works on by hand until its lease ends. */
export interface ClaimedTask extends Task {
  readonly lease: string;
}

/** Which task to claim: this one, else the most urgent of a project, else of all. */
export interface ClaimQuery {
  readonly scope: string;
  readonly id?: string;
  readonly projectId?: string;
  readonly agentId: string;
  readonly leaseMs: number;
}

/** How a claimed task ends, and what it came to. */
export interface TaskEnd {
  readonly scope: string;
  readonly id: string;
  readonly lease: string;
  readonly result: NewTaskResult & { readonly outcome: "completed" | "failed" };
}

/** How many tasks there are of each state. */
export type TaskCounts = Readonly<Partial<Record<TaskState, number>>>;

/**
 * Work to be done, what it depends on, and what it came to. Each change of state is one guarded update with its row of
 * `task_event` in the same transaction; ids of other scopes are unknown.
 */
export interface Tasks {
  /** @throws {TaskError} QUEUE_TASK_UNKNOWN: there is no such parent or dependency. */
  create(task: NewTask): Promise<Task>;
  /** Undefined where there is none. */
  get(scope: string, id: string): Promise<Task | undefined>;
  /** @throws {TaskError} QUEUE_TASK_UNKNOWN names the three nearest ids. */
  require(scope: string, id: string): Promise<Task>;
  /** The task that a run works on. */
  findByRun(scope: string, runId: string): Promise<Task | undefined>;
  list(query: TaskQuery): Promise<TaskPage>;
  count(query: Omit<TaskQuery, "limit" | "cursor">): Promise<TaskCounts>;
  /** The counts of each project that has such a task. */
  countByProject(query: Omit<TaskQuery, "limit" | "cursor">): Promise<ReadonlyMap<string, TaskCounts>>;
  /** @throws {TaskError} QUEUE_TASK_UNKNOWN, QUEUE_TASK_STATE, QUEUE_NOTHING_TO_CHANGE */
  edit(scope: string, id: string, edit: TaskEdit, by?: string): Promise<Task>;
  /**
   * Lets an event happen to a task, and what follows from it: tasks that waited for it become ready, and ready ones wait
   * again for one that is to be done again. A retry of a task that others hold up meanwhile is defined, not ready.
   *
   * @throws {TaskError} QUEUE_TASK_UNKNOWN; QUEUE_TASK_STATE: it can't happen in the state that `details.state` names.
   */
  apply(scope: string, id: string, event: TaskEvent, change?: TaskChange): Promise<Task>;
  /**
   * Takes a task that is ready, or whose lease ran out, and begins it. Undefined if there is none.
   *
   * @throws {TaskError} For `id` alone: QUEUE_TASK_UNKNOWN; QUEUE_TASK_STATE says who has it.
   */
  claim(query: ClaimQuery): Promise<ClaimedTask | undefined>;
  /** @throws {TaskError} QUEUE_TASK_LOST: the lease ran out, and another may have it. */
  renew(scope: string, id: string, lease: string, leaseMs: number): Promise<ClaimedTask>;
  /**
   * Ends a claimed task. Completed, it waits for a person where it has to be approved, or a person verifies it
   * (AWAITING_APPROVAL: PR_MERGED approves it). A failure is tried again until its retries are used; then it is blocked,
   * or failed where it may never be tried again.
   *
   * @throws {TaskError} QUEUE_TASK_LOST
   */
  end(end: TaskEnd): Promise<Task>;
  addNote(scope: string, id: string, note: NewTaskNote): Promise<TaskNote>;
  /** The oldest first. */
  notes(scope: string, id: string): Promise<readonly TaskNote[]>;
  /** The oldest first. */
  results(scope: string, id: string): Promise<readonly TaskResult[]>;
  edges(scope: string, id: string): Promise<TaskEdges>;
  /** The edges of many tasks at once: for each task, the ids that it depends on and those that it blocks. */
  findEdges(
    scope: string,
    ids: readonly string[],
  ): Promise<
    ReadonlyMap<string, { readonly dependsOn: readonly string[]; readonly blocks: readonly string[] }>
  >;
  /** @throws {TaskError} QUEUE_TASK_UNKNOWN; QUEUE_DEPENDENCY: itself, there already, or a cycle, which is named; QUEUE_TASK_STATE */
  addDependency(scope: string, id: string, dependsOn: string, by?: string): Promise<TaskEdges>;
  /** @throws {TaskError} QUEUE_TASK_UNKNOWN; QUEUE_DEPENDENCY: there is none. */
  removeDependency(scope: string, id: string, dependsOn: string, by?: string): Promise<TaskEdges>;
  /** The task and its subtasks. @param depth 1 to 20. @default 4 */
  tree(scope: string, id: string, depth?: number): Promise<TaskNode>;
  /** What stands still because of blocked and failed tasks, archived or not, or because of one task: at most 200 chains. */
  findStuck(query: {
    readonly scope: string;
    readonly projectId?: string;
    readonly id?: string;
  }): Promise<readonly StuckChain[]>;
  /** @throws {TaskError} QUEUE_TASK_STATE: only completed, failed and blocked tasks can be archived. */
  archive(scope: string, id: string, by?: string): Promise<Task>;
  /**
   * Takes a task out of the archive as if it had never begun: it waits for what it depends on, or is ready at once.
   *
   * @throws {TaskError} QUEUE_TASK_STATE
   */
  restore(scope: string, id: string, by?: string): Promise<Task>;
  /**
   * Its notes, results and edges go with it; its history and its subtasks stay, and its id is never given again.
   *
   * @param options.force Also where other tasks depend on it: their edges go.
   * @throws {TaskError} QUEUE_TASK_STATE: it is under way; QUEUE_DEPENDENCY: others depend on it.
   */
  delete(
    scope: string,
    id: string,
    options?: { readonly force?: boolean; readonly by?: string },
  ): Promise<Task>;
  /** The newest first. @param query.since A `seq`: those after it, the oldest first. */
  happenings(query: {
    readonly scope: string;
    readonly projectId?: string;
    readonly taskId?: string;
    readonly since?: number;
    /** 1 to 1,000. @default 10 */
    readonly limit?: number;
  }): Promise<readonly TaskHappening[]>;
}
