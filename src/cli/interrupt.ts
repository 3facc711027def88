import { CliError } from "./errors.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

export interface Interrupt {
  /** Aborted at the first Ctrl-C, or when the process is told to end. */
  readonly signal: AbortSignal;
  /** What a first Ctrl-C does, without a word: for a Ctrl-C that comes as the answer to a question. */
  readonly cancel: () => void;
  /** Stops listening. */
  readonly end: () => void;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first Ctrl-C cancels what runs and waits for its clean end; the second leaves at once. */
export function listenForInterrupt(terminal: Terminal): Interrupt {
  const controller = new AbortController();
  const cancel = () => controller.abort(new CliError("CLI_CANCELLED", "Stopped by Ctrl-C"));
  const press = () => {
    if (controller.signal.aborted) process.exit(exitCodes.cancelled);
    cancel();
    if (terminal.streams.stderr.isTTY === true) {
      terminal.err(terminal.paintError("dim", "\nstopping; Ctrl-C again leaves at once\n"));
    }
  };
  for (const name of signals) process.on(name, press);
  return {
    signal: controller.signal,
    cancel,
    end: () => {
      for (const name of signals) process.off(name, press);
    },
  };
}
