import { type Clock, systemClock } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";

export interface SettleOptions {
  readonly signal: AbortSignal;
  /** Clock for the quiet time. @default the system's */
  readonly clock?: Clock;
}

/** Time without a key press that must pass before a key counts as an answer. */
const quietMs = 500;
const controlC = "\u0003";

type RawInput = NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/**
 * Discards typed-ahead input: call it after a question is shown and before a key is taken as its answer. Every key
 * is discarded until {@link quietMs} have passed without one. Resolves with false if the person pressed Ctrl-C
 * meanwhile or `signal` was aborted. Input that is not a terminal is left alone.
 */
export async function settleInput(
  terminal: Pick<Terminal, "streams" | "err" | "paintError">,
  { signal, clock = systemClock }: SettleOptions,
): Promise<boolean> {
  const stdin: RawInput = terminal.streams.stdin;
  if (stdin.isTTY !== true) return !signal.aborted;
  if (signal.aborted) return false;
  let stopWaiting = () => {};
  let ignored = 0;
  stdin.setRawMode?.(true);
  const settled = await new Promise<boolean>((resolve) => {
    const wait = () => {
      stopWaiting();
      let looking: NodeJS.Immediate | undefined;
      const stopClock = clock.after(quietMs, () => {
        // On a busy machine the time may have passed before a key that was pressed in it is read.
        looking = setImmediate(() => end(true));
      });
      stopWaiting = () => {
        stopClock();
        clearImmediate(looking);
      };
    };
    const read = (chunk: Buffer | string) => {
      if (String(chunk).includes(controlC)) return end(false);
      ignored++;
      wait();
    };
    const leave = () => end(false);
    const end = (result: boolean) => {
      stopWaiting();
      stdin.off("data", read);
      signal.removeEventListener("abort", leave);
      stdin.pause();
      resolve(result);
    };
    signal.addEventListener("abort", leave, { once: true });
    stdin.on("data", read);
    stdin.resume();
    wait();
  });
  if (!settled) stdin.setRawMode?.(false);
  else if (ignored > 0)
    terminal.err(
      `${terminal.paintError("dim", "What was typed before the question could be read does not count")}\n`,
    );
  return settled;
}
