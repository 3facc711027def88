import type { Tool } from "../../../../kernel/index.ts";
import { resumeTaskTool } from "./resume-task.ts";
import type { TaskRunServices } from "./services.ts";
import { spawnTaskTool } from "./spawn-task.ts";
import { taskListTool } from "./task-list.ts";
import { taskReplayTool } from "./task-replay.ts";
import { taskStopTool } from "./task-stop.ts";
import { taskWaitTool } from "./task-wait.ts";

export type { TaskRunServices } from "./services.ts";

/** `spawn_task`, `resume_task`, `task_wait`, `task_stop`, `task_list`, `task_replay`. */
export function taskRunTools(services: TaskRunServices): Tool[] {
  return [
    spawnTaskTool(services),
    resumeTaskTool(services),
    taskWaitTool(services),
    taskStopTool(services),
    taskListTool(services),
    taskReplayTool(services),
  ];
}
