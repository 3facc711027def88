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
  const answer = await confirm({ ...promptStreams(terminal), message, initialValue: first, signal });
  return isCancel(answer) ? undefined : answer;
}

/** The streams on which every question is asked and answered: standard output is for results. */
export function promptStreams({ streams: { stdin, stderr } }: Pick<Terminal, "streams">): {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
} {
  return { input: stdin as NodeJS.ReadStream, output: stderr as NodeJS.WriteStream };
}
