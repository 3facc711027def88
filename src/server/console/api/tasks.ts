import type { TaskView } from "../../../app/views/index.ts";
import type { Task, TaskHappening, TaskNote, TaskResult, TaskState } from "../../../modules/tasks/index.ts";

/** The columns of the board, and the states that each has. */
export type TaskColumnName = "person" | "working" | "ready" | "waiting" | "done" | "archive";

export interface TaskColumn {
  readonly kind: TaskColumnName;
  /** How many tasks it has, shown or not. */
  readonly total: number;
  /** The most urgent first; of those that are done, the last first. */
  readonly tasks: readonly TaskView[];
  /** The page after this one; absent on the last. */
  readonly next?: string;
}

export interface TaskBoard {
  readonly columns: readonly TaskColumn[];
  /** Projects that have tasks, in the order of their names. */
  readonly projects: readonly string[];
}

/** A task as a line of another one's page says it. */
export interface TaskLine extends Pick<Task, "id" | "title" | "state" | "stateAt" | "trust"> {
  readonly depth: number;
}

export interface TaskDetail {
  readonly task: TaskView;
  readonly notes: readonly TaskNote[];
  /** One an attempt, the last first. */
  readonly results: readonly TaskResult[];
  /** The newest first: 100 at most. */
  readonly history: readonly TaskHappening[];
  /** The tasks that it is a part of, the outermost first. */
  readonly partOf: readonly TaskLine[];
  /** Its subtasks and theirs, each after the task that it is a part of: 500 at most. */
  readonly subtasks: readonly TaskLine[];
  readonly dependsOn: readonly TaskLine[];
  readonly blocks: readonly TaskLine[];
  /** How many tasks can't begin before it is done, directly or not. */
  readonly holdsUp: number;
  /** The session of the run that works on it, or did last, if it is there to be read. */
  readonly sessionId: string | undefined;
  readonly command: string;
}

/** Tasks and what they depend on. */
export interface TaskGraph {
  readonly nodes: readonly TaskLine[];
  /** Ids of two tasks: the second one waits for the first. */
  readonly edges: readonly (readonly [before: string, after: string])[];
  /** There are more tasks than these. */
  readonly cut: boolean;
}

/** What a person does with a task. */
export type TaskAct = "stop" | "retry" | "reopen" | "approve" | "skip" | "archive" | "restore";

export interface TasksApi {
  readonly "GET /tasks": {
    readonly query: {
      readonly project?: string;
      /** This column alone, a page of it. */
      readonly column?: TaskColumnName;
      readonly limit?: string;
      readonly after?: string;
    };
    readonly answer: TaskBoard;
  };
  /** The tasks around one, or those of a project that are not done, with those that they depend on. */
  readonly "GET /tasks/graph": {
    readonly query: { readonly project?: string; readonly task?: string };
    readonly answer: TaskGraph;
  };
  readonly "GET /tasks/:id": { readonly answer: TaskDetail };
  /** A call of a tool by the person at the console, through the gate. Their click is the yes, should a rule ask. */
  readonly "POST /tasks/:id/act": {
    readonly body: {
      readonly act: TaskAct;
      /** The version of the task that was shown. */
      readonly version: number;
      /** What has to be done otherwise, for the act `reopen`. */
      readonly feedback?: string;
      readonly pin?: string;
    };
    readonly answer: {
      readonly state: TaskState;
      /** Ids of tasks that waited for it and are ready now. */
      readonly freed: readonly string[];
    };
  };
}

export type { TaskHappening, TaskNote, TaskResult, TaskState, TaskView };
