import { linesBeyond, parseJson } from "../../base/index.ts";
import type { ToolResult, ToolUpdate } from "../../kernel/index.ts";
import type { Terminal } from "../terminal.ts";
import { fitWidth } from "../text/display-width.ts";

/** Partial output kept to tell what of the result was shown already. */
const maxShownChars = 1_000_000;

/** Shows one call while it runs, on standard error, and what came of it, on standard output. */
export class CallDisplay {
  readonly #terminal: Terminal;
  readonly #live: boolean;
  #shown = "";
  #statusShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#live = terminal.streams.stderr.isTTY === true;
  }

  update(update: ToolUpdate): void {
    if (update.type === "output") this.#output(update.text);
    else this.#progress(update);
  }

  /** The result in full, unless the terminal shows it already. */
  finish(result: ToolResult): void {
    this.#clearStatus();
    const terminal = this.#terminal;
    for (const note of result.notes)
      terminal.err(terminal.paintError("dim", `note: ${terminal.foreignError(note)}\n`));
    if (result.success) this.#result(this.#readable(result.text));
    else this.#failure(result.error, result.code, result.stillRunning === true, result.partial);
    const place = result.success ? undefined : result.details?.["place"];
    if (typeof place === "string")
      terminal.err(terminal.paintError("dim", `at ${terminal.foreignError(place)}\n`));
    if (result.artifact !== undefined) {
      const { id, chars } = result.artifact;
      terminal.err(
        terminal.paintError(
          "dim",
          `all ${chars.toLocaleString("en")} characters: haft call artifact_read --arg id=${id}\n`,
        ),
      );
    }
  }

  /** A terminal that showed lines of it as they came gets only the rest. */
  #result(text: string): void {
    const terminal = this.#terminal;
    const seen = this.#live && terminal.streams.stdout.isTTY === true ? this.#shown : "";
    const start = seen.replace(/\n$/, "");
    const known = seen !== "" && text.startsWith(start);
    if (seen !== "" && !seen.endsWith("\n")) terminal.out("\n");
    const rest = known ? text.slice(start.length).replace(/^\n/, "") : cutSeen(text, seen);
    if (rest !== "") terminal.out(terminal.foreign(rest.endsWith("\n") ? rest : `${rest}\n`));
  }

  /** JSON over several lines where a person reads it; a program gets it as it is. */
  #readable(text: string): string {
    if (this.#terminal.streams.stdout.isTTY !== true || !/^[[{]/.test(text)) return text;
    const value = parseJson(text);
    return value === undefined ? text : JSON.stringify(value, null, 2);
  }

  #failure(error: string, code: string, stillRunning: boolean, partial: string | undefined): void {
    const terminal = this.#terminal;
    if (partial !== undefined) this.#result(partial);
    const label = terminal.paintError("red", "haft:");
    const message = partial === undefined ? error : withoutOutput(error, partial);
    terminal.err(`${label} ${terminal.foreignError(message)} [${code}]\n`);
    if (stillRunning)
      terminal.err("The tool did not stop when it was told to; what it does may still happen\n");
  }

  #output(text: string): void {
    this.#clearStatus();
    if (!this.#live) return;
    if (this.#shown.length < maxShownChars) this.#shown += text;
    this.#terminal.err(this.#terminal.foreignError(text));
  }

  #progress(update: { readonly progress: number; readonly total?: number; readonly message?: string }): void {
    const { progress, total, message } = update;
    const amount = total === undefined ? String(progress) : `${progress}/${total}`;
    // Of how much it is nobody knows: then the message says more than a number.
    const text = message === undefined ? amount : total === undefined ? message : `${amount} ${message}`;
    const terminal = this.#terminal;
    if (!this.#live) {
      terminal.err(`${text}\n`);
      return;
    }
    const line = fitWidth(terminal.foreignError(text.replaceAll("\n", " ")), terminal.errorWidth - 1);
    terminal.err(`\r\u001b[K${terminal.paintError("dim", line)}`);
    this.#statusShown = true;
  }

  #clearStatus(): void {
    if (!this.#statusShown) return;
    this.#terminal.err("\r\u001b[K");
    this.#statusShown = false;
  }
}

/** What a result has beyond the output that was seen, whose two streams came in another order; all of it where it is not that output. */
function cutSeen(text: string, seen: string): string {
  if (seen === "" || linesBeyond(seen, text).length > 0) return text;
  return linesBeyond(text, seen)
    .filter((line) => line !== "[stderr]")
    .join("\n");
}

const outputMark = /^(\[stderr\]|\[exit code \d+\]|….*)$/;

/** The first line of a message whose other lines quote the output that is shown before it. */
function withoutOutput(message: string, output: string): string {
  const [first = "", ...rest] = message.split("\n");
  const isQuote =
    rest.length > 0 && linesBeyond(rest.join("\n"), output).every((line) => outputMark.test(line));
  return isQuote ? first.replace(/:$/, "") : message;
}
