export { describeAdded } from "./store/edges.ts";
export { TaskError, type TaskErrorCode, taskErrorCodes } from "./store/errors.ts";
export { describeWayOn, mostResultChars, showResult } from "./store/runs/describe-outcome.ts";
export { TaskRunError } from "./store/runs/errors.ts";
export { isHalted, stoppedByParent, TaskFollower } from "./store/runs/follow.ts";
export { type RunTree, SqlRunTree } from "./store/runs/run-tree.ts";
export { SqlTaskRuns } from "./store/runs/sql-task-runs.ts";
export { RunStopper } from "./store/runs/stop-runs.ts";
export type {
  ListedTask,
  ReplayedTask,
  TaskCaller,
  TaskDesk,
  TaskStanding,
  WantedTask,
} from "./store/runs/task-desk.ts";
export type {
  TaskRun,
  TaskRuns,
} from "./store/runs/task-runs.ts";
export { SqlTasks } from "./store/sql-tasks.ts";
export {
  findNextState,
  type TaskEvent,
  type TaskState,
  taskEvents,
  taskStates,
  taskTransitions,
} from "./store/states.ts";
export {
  type ClaimedTask,
  type ClaimQuery,
  type NewTask,
  type NewTaskNote,
  type NewTaskResult,
  noteKinds,
  type StuckChain,
  type Task,
  type TaskChange,
  type TaskCounts,
  type TaskEdges,
  type TaskEdit,
  type TaskEnd,
  type TaskHappening,
  type TaskNews,
  type TaskNode,
  type TaskNote,
  type TaskNoteKind,
  type TaskOutcome,
  type TaskPage,
  type TaskQuery,
  type TaskResult,
  type Tasks,
  type TaskType,
  taskNews,
  taskOutcomes,
  taskTypes,
  type Verification,
  verifications,
} from "./store/tasks.ts";
export { findBypassed } from "./tools/restart.ts";
