import { type Clock, systemClock } from "../base/index.ts";
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
/** The same signal again within this time is no second one: npm passes on a Ctrl-C that the terminal has sent to us, too. */
const repeatMs = 100;

/**
 * The first Ctrl-C cancels what runs and waits for its clean end; the second leaves at once. Another signal is no second
 * one: a Ctrl-C goes to the program above too, and that ends us with SIGTERM in the same moment.
 */
export function listenForInterrupt(terminal: Terminal, clock: Clock = systemClock): Interrupt {
  const controller = new AbortController();
  /** When each signal came first. */
  const seen = new Map<NodeJS.Signals, number>();
  const abort = () => controller.abort(new CliError("CLI_CANCELLED", "Stopped by Ctrl-C"));
  const cancel = () => {
    seen.set("SIGINT", clock.now());
    abort();
  };
  const press = (signal: NodeJS.Signals) => {
    const firstAt = seen.get(signal);
    if (firstAt !== undefined) {
      const sinceMs = clock.now() - firstAt;
      // A clock that was set back since then tells nothing.
      if (sinceMs >= 0 && sinceMs < repeatMs) return;
      process.exit(exitCodes.cancelled);
    }
    seen.set(signal, clock.now());
    if (controller.signal.aborted) return;
    abort();
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
