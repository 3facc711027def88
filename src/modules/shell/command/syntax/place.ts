import type { ProgramSearch, Workspace } from "../../../../host/index.ts";
import type { CallContext } from "../../../../kernel/index.ts";

/** What of the host is needed to say what a command line touches. */
export type Places = Pick<Workspace, "locate" | "status" | "find" | "open" | "list">;

export interface CommandPlace {
  readonly workspace: Places;
  readonly context: CallContext;
  /** The folder that the line starts in, as the call names it. */
  readonly cwd: string;
  /** Whether a shell may find a program of this name. */
  readonly hasProgram: (name: string) => boolean;
  /** The programs that a shell would start there. */
  readonly programs: Pick<ProgramSearch, "find">;
  /** Temporary files that are the session's own; absent where the line would find the machine's. */
  readonly temporary?: { readonly isOwn: (path: string) => boolean };
}
