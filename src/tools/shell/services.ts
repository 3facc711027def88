import type { Environment, Processes, Workspace } from "../../host/index.ts";

/** What the shell tools work with. */
export interface ShellServices {
  readonly processes: Processes;
  /** Decides which folders a command may start in, and says where the paths of its line lead. */
  readonly workspace: Pick<Workspace, "locate" | "status" | "find">;
  /** What the commands of each agent get as their environment. */
  readonly environment: Environment;
}
