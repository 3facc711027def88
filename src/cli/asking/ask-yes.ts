import { settleInput } from "../calls/settle-input.ts";
import type { Terminal } from "../terminal.ts";

export interface AskYesOptions {
  readonly signal: AbortSignal;
  /** What Enter means. @default false */
  readonly first?: boolean;
}

/** Asks a yes-or-no question after discarding typed-ahead input. Undefined if the person cancelled. */
export async function askYes(
  terminal: Terminal,
  message: string,
  { signal, first = false }: AskYesOptions,
): Promise<boolean | undefined> {
  const { confirm, isCancel } = await import("@clack/prompts");
  if (!(await settleInput(terminal, { signal }))) return undefined;
  const answer = await whileAsked(signal, (asked) =>
    confirm({ ...promptStreams(terminal), message, initialValue: first, signal: asked }),
  );
  return isCancel(answer) ? undefined : answer;
}

/** A prompt keeps listening to its signal after it is answered, and would then take the terminal from its next user. */
export async function whileAsked<T>(
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const asked = new AbortController();
  const abort = () => asked.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await ask(asked.signal);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The streams on which every question is asked and answered: standard output is for results. */
export function promptStreams({ streams: { stdin, stderr } }: Pick<Terminal, "streams">): {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
} {
  return { input: stdin as NodeJS.ReadStream, output: stderr as NodeJS.WriteStream };
}
