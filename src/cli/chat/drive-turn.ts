import { type AgentEvent, Interrupts, type RunEnd } from "../../agent/index.ts";
import type { App } from "../../app/index.ts";
import { CodedError } from "../../base/index.ts";
import type { Approver } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { CliError } from "../errors.ts";
import { type ExitCode, exitCodes, toExitCode } from "../exit-codes.ts";

export interface TurnOptions {
  readonly app: App;
  readonly run: Run;
  readonly emit: (event: AgentEvent) => void;
  /** Interrupts the run as the user, for good: messages that wait do not let it go on. */
  readonly signal: AbortSignal;
  /** Other interruptions: the run goes on with messages that wait. @default none */
  readonly interrupts?: Interrupts;
  readonly approver?: Approver;
  /** Whether its questions are left for others to answer. @default false */
  readonly inBackground?: boolean;
}

/**
 * Drives a run for the person at the terminal.
 *
 * @throws {CliError} CLI_BUSY if another process drives it.
 */
export async function driveTurn({
  app,
  run,
  emit,
  signal,
  interrupts = new Interrupts(),
  approver,
  inBackground = false,
}: TurnOptions): Promise<RunEnd> {
  const interrupt = () => interrupts.interrupt("the user");
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    const host = await app.agent();
    const end = await host.drive(run, {
      emit: (event) => {
        emit(event);
        if (event.type === "message.taken" && signal.aborted) interrupt();
      },
      interrupts,
      replyChannel: "terminal",
      inBackground,
      ...(approver !== undefined && { approver }),
    });
    if (end !== undefined) return end;
    await host.abandon(run);
  } catch (thrown) {
    // The run stays as its entries say, and can go on once the model can be reached.
    if (!(thrown instanceof CodedError) || !thrown.code.startsWith("CONNECT_")) throw thrown;
    const end: RunEnd = { state: "failed", code: thrown.code, text: thrown.message };
    emit({ type: "run.ended", end });
    return end;
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
  throw new CliError(
    "CLI_BUSY",
    "Cannot begin a second run of this conversation: another haft is at it, and reads what you said at its next step",
  );
}

/** The exit code for the end of a run. */
export function toRunExitCode(end: RunEnd): ExitCode {
  switch (end.state) {
    case "completed":
      return end.stop === "end" ? exitCodes.ok : exitCodes.failed;
    case "stopped":
      return exitCodes.cancelled;
    case "paused":
    case "parked":
      return exitCodes.paused;
    case "failed":
      return toExitCode(end.code);
    default:
      return end satisfies never;
  }
}
