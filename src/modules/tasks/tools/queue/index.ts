import type { Tool } from "../../../../kernel/index.ts";
import type { QueueServices } from "../services.ts";
import { addDependencyTool } from "./add-dependency.ts";
import { archiveTaskTool } from "./archive-task.ts";
import { claimTaskTool } from "./claim-task.ts";
import { completeTaskTool } from "./complete-task.ts";
import { createTaskTool } from "./create-task.ts";
import { deleteTaskTool } from "./delete-task.ts";
import { editTaskTool } from "./edit-task.ts";
import { getChainHealthTool } from "./get-chain-health.ts";
import { getRecentEventsTool } from "./get-recent-events.ts";
import { getTaskTool } from "./get-task.ts";
import { getTaskDependenciesTool } from "./get-task-dependencies.ts";
import { getTaskResultTool } from "./get-task-result.ts";
import { getTaskTreeTool } from "./get-task-tree.ts";
import { listActiveTasksTool } from "./list-active-tasks.ts";
import { listArchivedTool } from "./list-archived.ts";
import { listTasksTool } from "./list-tasks.ts";
import { removeDependencyTool } from "./remove-dependency.ts";
import { reopenWithFeedbackTool } from "./reopen-with-feedback.ts";
import { restartTaskTool } from "./restart-task.ts";
import { restoreTaskTool } from "./restore-task.ts";
import { skipTaskTool } from "./skip-task.ts";
import { stopTaskTool } from "./stop-task.ts";

/** Makes the tools of the task queue: to give work away, to take it, and to see how it goes. */
export function queueTools(services: QueueServices): readonly Tool[] {
  return [
    createTaskTool(services),
    listTasksTool(services),
    getTaskTool(services),
    editTaskTool(services),
    claimTaskTool(services),
    completeTaskTool(services),
    listActiveTasksTool(services),
    getTaskTreeTool(services),
    stopTaskTool(services),
    restartTaskTool(services),
    reopenWithFeedbackTool(services),
    deleteTaskTool(services),
    archiveTaskTool(services),
    listArchivedTool(services),
    restoreTaskTool(services),
    skipTaskTool(services),
    getTaskDependenciesTool(services),
    addDependencyTool(services),
    removeDependencyTool(services),
    getChainHealthTool(services),
    getRecentEventsTool(services),
    getTaskResultTool(services),
  ];
}
