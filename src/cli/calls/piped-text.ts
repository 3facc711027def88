import { type Clock, systemClock } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { readAll } from "./stdin-text.ts";

/** How long standard input may stay open before a person is told what is waited for. */
const quietMs = 3_000;

/**
 * The text that is piped to standard input; "" at a terminal. Prints a hint if the input does not end soon, since a
 * program may never close the pipe.
 *
 * @throws {CliError} CLI_INPUT
 */
export async function readPiped(
  terminal: Pick<Terminal, "streams" | "err">,
  { signal, clock = systemClock }: { readonly signal: AbortSignal; readonly clock?: Clock },
): Promise<string> {
  const { stdin } = terminal.streams;
  if (stdin.isTTY === true) return "";
  const stopWaiting = clock.after(quietMs, () =>
    terminal.err(
      "Waiting for the end of standard input, which is added to the text; `< /dev/null` gives none\n",
    ),
  );
  try {
    return await readAll(stdin, signal);
  } finally {
    stopWaiting();
  }
}
