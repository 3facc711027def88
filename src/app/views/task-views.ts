import { type Run, type Runs, readWaits } from "../../modules/sessions/index.ts";
import type { Task, TaskState, Tasks } from "../../modules/tasks/index.ts";
import type { Spent } from "../../modules/usage/index.ts";
import { readTaskCost, type TaskCostStore } from "./task-cost.ts";

/** The parts of the store that views of tasks are read from. */
export interface TaskViewStore extends TaskCostStore {
  readonly tasks: TaskCostStore["tasks"] &
    Pick<Tasks, "get" | "findEdges" | "findByRun" | "happenings" | "results">;
  readonly runs: Pick<Runs, "get" | "list">;
}

/** Whom or what a task waits for. */
export type TaskWait =
  /** Another task, which has to be completed. */
  | { readonly for: "task"; readonly id: string; readonly state: TaskState }
  /** A run without a task. */
  | { readonly for: "run"; readonly id: string }
  /** An answer to a stored question. */
  | { readonly for: "question"; readonly id: string }
  /** A time, in Unix ms. */
  | { readonly for: "time"; readonly at: number }
  /** An agent that claims it, or a process that resumes it. */
  | { readonly for: "worker" }
  /** A person: to answer it, to approve it or its plan, to verify it, or to decide how it goes on. */
  | { readonly for: "person"; readonly to: "answer" | "approve" | "approve-plan" | "verify" | "decide" };

/** A task, and how it stands. */
export interface TaskView extends Task {
  /** Ids of the tasks that it depends on. */
  readonly dependsOn: readonly string[];
  /** Ids of the tasks that depend on it. */
  readonly blocks: readonly string[];
  /** What it waits for since `stateAt`. Empty for a task that is under way or over. */
  readonly waits: readonly TaskWait[];
  /** Whether another may take it, because its lease or that of its run has ended. */
  readonly isLeft: boolean;
  /** Why it came into its state, for a task that was stopped, failed or paused. */
  readonly why: string | undefined;
  /** Whether a person let others go on without it. */
  readonly isSkipped: boolean;
  /** What models took for it and for its subtasks. Undefined if no run worked on it. */
  readonly cost: Spent | undefined;
}

/** Says how tasks of one scope stand: what they wait for, and what they cost. */
export async function readTaskViews(
  store: TaskViewStore,
  tasks: readonly Task[],
  { scope, now }: { readonly scope: string; readonly now: number },
): Promise<readonly TaskView[]> {
  const edges = await store.tasks.findEdges(
    scope,
    tasks.map(({ id }) => id),
  );
  return Promise.all(
    tasks.map(async (task) => {
      const { dependsOn = [], blocks = [] } = edges.get(task.id) ?? {};
      const run = task.runId === undefined ? undefined : await store.runs.get(scope, task.runId);
      const isLeft = isLeftAlone(task, run, now);
      return {
        ...task,
        dependsOn,
        blocks,
        isLeft,
        waits: isLeft ? [{ for: "worker" }] : await findWaits(store, { task, run, dependsOn }),
        why: await findWhy(store, task, run),
        isSkipped: task.state === "COMPLETED" && (await wasSkipped(store, task)),
        cost: await readTaskCost(store, task),
      };
    }),
  );
}

function isLeftAlone({ state, leaseUntil }: Task, run: Run | undefined, now: number): boolean {
  if (state !== "ASSIGNED" && state !== "IN_PROGRESS") return false;
  if (leaseUntil !== undefined) return leaseUntil <= now;
  return run?.state === "running" && (run.leaseUntil ?? 0) <= now;
}

interface Standing {
  readonly task: Task;
  readonly run: Run | undefined;
  readonly dependsOn: readonly string[];
}

async function findWaits(
  store: TaskViewStore,
  { task, run, dependsOn }: Standing,
): Promise<readonly TaskWait[]> {
  const ofRun = run?.state === "parked" ? await findRunWaits(store, run) : [];
  switch (task.state) {
    case "DEFINED": {
      const upstream = await Promise.all(dependsOn.map((id) => store.tasks.get(task.scope, id)));
      return upstream.flatMap((one): readonly TaskWait[] =>
        one === undefined || one.state === "COMPLETED" ? [] : [{ for: "task", id: one.id, state: one.state }],
      );
    }
    case "READY":
      return [{ for: "worker" }];
    case "ASSIGNED":
    case "IN_PROGRESS":
      return run?.state === "pending" ? [{ for: "worker" }] : ofRun;
    case "WAITING_INPUT":
      return ofRun.length > 0 ? ofRun : [{ for: "person", to: "answer" }];
    case "PAUSED":
      if (task.resumeAfter !== undefined) return [{ for: "time", at: task.resumeAfter }];
      return ofRun.length > 0 ? ofRun : [{ for: "person", to: "decide" }];
    case "VERIFYING":
      return task.verification === "human" ? [{ for: "person", to: "verify" }] : [];
    case "AWAITING_APPROVAL":
      return [{ for: "person", to: "approve" }];
    case "AWAITING_PLAN_APPROVAL":
      return [{ for: "person", to: "approve-plan" }];
    case "FAILED":
    case "BLOCKED":
      return [{ for: "person", to: "decide" }];
    case "COMPLETED":
      return [];
    default:
      return task.state satisfies never;
  }
}

async function findRunWaits(store: TaskViewStore, { scope, waitFor }: Run): Promise<readonly TaskWait[]> {
  return Promise.all(
    readWaits(waitFor).map(async (wait): Promise<TaskWait> => {
      if (wait.for === "time") return wait;
      const { id } = wait;
      if (wait.for === "approval") return { for: "question", id };
      const other = await store.tasks.findByRun(scope, id);
      return other === undefined ? { for: "run", id } : { for: "task", id: other.id, state: other.state };
    }),
  );
}

const explained: readonly TaskState[] = ["FAILED", "BLOCKED", "PAUSED"];

async function findWhy(
  { tasks }: TaskViewStore,
  { scope, id, state }: Task,
  run: Run | undefined,
): Promise<string | undefined> {
  if (!explained.includes(state)) return undefined;
  const newest = await tasks.happenings({ scope, taskId: id, limit: 10 });
  const why = newest.find(({ to }) => to === state)?.why;
  if (why !== undefined) return why;
  if (state === "PAUSED") return run?.why;
  return (await tasks.results(scope, id)).at(-1)?.error;
}

async function wasSkipped({ tasks }: TaskViewStore, { scope, id }: Task): Promise<boolean> {
  return (await tasks.results(scope, id)).at(-1)?.outcome === "skipped";
}
