import type { Connector, Environment, Processes, Workspace } from "../../host/index.ts";
import type { CommandUndo } from "../files/index.ts";

/** What the shell tools work with. */
export interface ShellServices {
  readonly processes: Processes;
  /** Decides which folders a command may start in, and says where the paths of its line lead. */
  readonly workspace: Pick<Workspace, "locate" | "status" | "find" | "open" | "list">;
  /** What the commands of each agent get as their environment. */
  readonly environment: Environment;
  /** Says what it means to connect to a host that a command names. Absent: none can be named. */
  readonly connector?: Pick<Connector, "origin"> | undefined;
  /** Records what commands change. Absent: it can't be undone, and asks. */
  readonly undo?: CommandUndo | undefined;
}
