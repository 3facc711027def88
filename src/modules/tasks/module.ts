import type { Workspace } from "../../host/index.ts";
import type { ArtifactStore } from "../../kernel/index.ts";
import type { Module } from "../module.ts";
import type { Tasks } from "./store/tasks.ts";
import { taskRunFamily } from "./tools/runs/family.ts";
import type { TaskRunServices } from "./tools/runs/services.ts";

export { defaultTaskLimits } from "./store/runs/limits.ts";

/** Services that the tools of tasks use. */
export interface TaskPorts {
  readonly tasks: Tasks;
  readonly memory: { readonly project: string };
  readonly workspace: Workspace;
  readonly artifacts: ArtifactStore;
  /** Paths of files that hold data from outside. */
  readonly untrustedFiles: () => Promise<readonly string[]>;
  /** Ends the run that works on a task, and those below it. False where they had ended. */
  readonly stopRun: (scope: string, runId: string, why: string) => Promise<boolean>;
}

/** Work to be done, whoever does it. */
export const tasksModule: Module<TaskPorts & TaskRunServices> = {
  name: "tasks",
  migrations: async () => (await import("./migrations/index.ts")).taskMigrations,
  collections: {
    allTaskTools: ["task_list", "task_replay"],
    mainAgentTools: ["task_list", "task_replay", "spawn_task"],
  },
  families: {
    taskRuns: taskRunFamily,
    taskQueue: {
      profiles: ["queue"],
      make: async ({ tasks, memory, workspace, artifacts, untrustedFiles, stopRun }) => {
        const { queueTools } = await import("./tools/index.ts");
        const attachments = { workspace, artifacts, untrustedFiles };
        return queueTools({ tasks, project: memory.project, attachments, stopRun });
      },
    },
    taskApproval: {
      profiles: ["queue"],
      make: async ({ tasks }) => [(await import("./tools/index.ts")).approveTaskTool({ tasks })],
    },
    ruleTools: {
      profiles: ["queue"],
      make: async () => (await import("./tools/index.ts")).ruleTools(),
    },
  },
};
