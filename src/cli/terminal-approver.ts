import type { Approval, ApprovalAnswer, Approver } from "../kernel/index.ts";
import { chooseAnswer } from "./approval-choice.ts";
import { CliError } from "./errors.ts";
import { ownerIdentity } from "./owner-identity.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

interface TerminalApproverOptions {
  /** What Ctrl-C at the question does. */
  readonly cancel: () => void;
}

const hourMs = 3_600_000;

/** Asks the person at the terminal. */
function createTerminalApprover(terminal: Terminal, options: TerminalApproverOptions): Approver {
  const by = ownerIdentity();
  return {
    identity: by,
    async ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
      // Without a session of its channel, what is granted for one ends with this process, which is about to end.
      const short = approval.origin?.session === undefined ? hourMs : "session";
      const choice = await chooseAnswer(terminal, approval, { by, while: short, signal });
      if (typeof choice !== "string") return choice;
      if (!signal.aborted) options.cancel();
      return { approved: false, by, reason: "the question was left" };
    },
  };
}

/** The approver behind `--yes`: the person said so when they typed the command. */
function createYesApprover(): Approver {
  const by = ownerIdentity();
  return { identity: by, ask: () => Promise.resolve({ approved: true, by }) };
}

/**
 * Who is asked about the calls of one command: nobody where there is neither `--yes` nor a terminal, nor where a tool
 * started this process, which would answer itself.
 *
 * @throws {CliError} CLI_UNCONFIRMED for a `--yes` of a tool.
 */
export async function approverFor(session: Session, yes: boolean): Promise<{ readonly approver?: Approver }> {
  const { interactive } = session.terminal;
  if (!yes && !interactive) return {};
  const { isStartedByTool } = await import("../host/index.ts");
  if (isStartedByTool()) {
    if (!yes) return {};
    throw new CliError(
      "CLI_UNCONFIRMED",
      "Cannot take --yes here: a tool of haft started this process, and no tool answers for a person; run it at a terminal of your own",
    );
  }
  if (yes) return { approver: createYesApprover() };
  return { approver: createTerminalApprover(session.terminal, { cancel: session.interrupt.cancel }) };
}
