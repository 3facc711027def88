import { userInfo } from "node:os";
import type { Approval, ApprovalAnswer, Approver } from "../kernel/index.ts";
import { renderApproval } from "./approval-text.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

interface TerminalApproverOptions {
  /** What Ctrl-C at the question does. */
  readonly cancel: () => void;
}

/** What commands are kept from, today. */
const isolation = "no sandbox: it runs with your rights, and everything it starts ends with it";

/** Asks the person at the terminal: y for this once, a for always with exactly these arguments; all else means no. */
function createTerminalApprover(terminal: Terminal, options: TerminalApproverOptions): Approver {
  return {
    async ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
      const runs = approval.effects.some(({ kind }) => kind === "run");
      terminal.err(
        renderApproval(approval, {
          width: terminal.errorWidth,
          paint: (paint, text) => terminal.paintError(paint, text),
          ...(runs && { isolation }),
        }),
      );
      const by = userName();
      const { isCancel, selectKey } = await import("@clack/prompts");
      const { stdin: input, stderr: output } = terminal.streams;
      const answer = await selectKey({
        message: "Allow it?",
        // The first is what Enter means.
        options: [
          { value: "n", label: "no" },
          { value: "y", label: "yes, this once" },
          { value: "a", label: "always, for exactly this call" },
        ],
        initialValue: "n",
        input: input as NodeJS.ReadStream,
        output: output as NodeJS.WriteStream,
        signal,
      });
      if (isCancel(answer)) {
        if (!signal.aborted) options.cancel();
        return { approved: false, by, reason: "the question was left" };
      }
      if (answer === "y" || answer === "a") return { approved: true, by, remember: answer === "a" };
      return { approved: false, by };
    },
  };
}

/** The approver behind `--yes`: the person said so when they typed the command. */
const yesApprover: Approver = {
  ask: () => Promise.resolve({ approved: true, by: "--yes" }),
};

/** Who is asked about the calls of one command: nobody where there is neither `--yes` nor a terminal. */
export function approverFor(session: Session, yes: boolean): { readonly approver?: Approver } {
  if (yes) return { approver: yesApprover };
  if (!session.terminal.interactive) return {};
  return { approver: createTerminalApprover(session.terminal, { cancel: session.interrupt.cancel }) };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "the person at the terminal";
  }
}
