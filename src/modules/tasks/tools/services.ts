import type { Workspace } from "../../../host/index.ts";
import type { ArtifactStore } from "../../../kernel/index.ts";
import type { Tasks } from "../store/tasks.ts";

/** Services that the tools of the task queue use. */
export interface QueueServices {
  readonly tasks: Tasks;
  /** The project of calls without `project_id`. Absent: such calls have none. */
  readonly project?: string;
  /** Files and artifacts for attachments. Absent: a task has none. */
  readonly attachments?: AttachmentServices;
  /** Ends the work of an agent on a task; false where it had ended. Absent: no agent of this program works on tasks. */
  readonly stopRun?: (scope: string, runId: string, why: string) => Promise<boolean>;
}

/** Services that copy the files that are attached to tasks. */
export interface AttachmentServices {
  readonly workspace: Workspace;
  readonly artifacts: ArtifactStore;
  /** Paths of files that hold data from outside. @default none */
  readonly untrustedFiles?: () => Promise<readonly string[]>;
}
