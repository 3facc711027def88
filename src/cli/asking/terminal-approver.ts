import type { Approval, ApprovalAnswer, Approver } from "../../kernel/index.ts";
import type { Session } from "../session.ts";
import { chooseAnswer } from "./approval-choice.ts";
import { ownerIdentity } from "./owner-identity.ts";
import { refuseAgents, requirePin } from "./owner-only.ts";

const hourMs = 3_600_000;

/** Asks the person at the terminal, and for the PIN of a yes where one is set. */
function createTerminalApprover(session: Session, onLeft: () => void): Approver {
  const { terminal } = session;
  const by = ownerIdentity();
  return {
    identity: by,
    async ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
      // Without a session of its channel, what is granted for one ends with this process, which is about to end.
      const short = approval.origin?.session === undefined ? hourMs : "session";
      const canExplain = approval.origin?.channel === "agent";
      const choice = await chooseAnswer(terminal, approval, { by, while: short, canExplain, signal });
      if (typeof choice !== "string") {
        if (choice.approved) await requirePin(session, "say yes");
        return choice;
      }
      if (!signal.aborted) onLeft();
      return { approved: false, by, reason: "the question was left" };
    },
  };
}

/** The approver behind `--yes`: the owner said so when they typed the command, or wrote the script. */
function createYesApprover(): Approver {
  const by = ownerIdentity();
  return { identity: by, ask: () => Promise.resolve({ approved: true, by }) };
}

/**
 * Who is asked about the calls of one command: nobody where there is neither `--yes` nor a terminal, nor where a tool
 * or an agent started this process, which would answer itself.
 *
 * @param onLeft Called if the person leaves a question with Ctrl-C or Escape. @default the command is interrupted
 * @throws {CliError} CLI_UNCONFIRMED for a `--yes` of a tool or an agent, or one that needs the PIN and has no terminal.
 */
export async function approverFor(
  session: Session,
  yes: boolean,
  onLeft: () => void = session.interrupt.cancel,
): Promise<{ readonly approver?: Approver }> {
  if (yes) {
    await refuseAgents("take --yes");
    await requirePin(session, "take --yes");
    return { approver: createYesApprover() };
  }
  if (!session.terminal.interactive || (await isStartedByAgent())) return {};
  return { approver: createTerminalApprover(session, onLeft) };
}

/** A tool or an agent started this process, whose `--yes` is refused. */
export async function isStartedByAgent(): Promise<boolean> {
  const { findAgentTrace, isStartedByTool } = await import("../../host/index.ts");
  return isStartedByTool() || findAgentTrace() !== undefined;
}
