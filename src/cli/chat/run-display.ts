import type { AgentEvent, RunEnd } from "../../agent/index.ts";
import type { Terminal } from "../terminal.ts";
import { fitWidth } from "../text/display-width.ts";
import { MarkdownPrinter } from "./markdown-printer.ts";

/** Longest part of a call's arguments and results that its line shows. */
const shownChars = 200;

/**
 * Shows a run in progress: the model's text on standard output; calls, notes and one status line on standard error.
 * Printed output never changes, except the status line.
 */
export class RunDisplay {
  readonly #terminal: Terminal;
  readonly #status: StatusLine;
  readonly #markdown: MarkdownPrinter;
  readonly #running = new Map<string, string>();
  #step = 0;
  #inputTokens = 0;
  #cachedTokens = 0;
  #outputTokens = 0;
  /** Whether the text of an answer is under way. */
  #isSpeaking = false;

  constructor(terminal: Terminal, status: StatusLine = terminalStatus(terminal)) {
    this.#terminal = terminal;
    this.#status = status;
    this.#markdown = new MarkdownPrinter({
      width: terminal.width,
      paint: (paint, text) => terminal.paint(paint, text),
    });
  }

  readonly show = (event: AgentEvent): void => {
    switch (event.type) {
      case "step.began":
        this.#step = event.step;
        break;
      case "answer.text":
        this.#speak(this.#markdown.add(this.#terminal.foreign(event.delta)));
        this.#isSpeaking = true;
        break;
      case "answer.withdrawn":
        this.#endText();
        this.#line("yellow", `that answer does not count: ${event.why}`);
        break;
      case "answer.ended":
        this.#endText();
        this.#inputTokens += event.usage.inputTokens;
        this.#cachedTokens += event.usage.cacheReadTokens;
        this.#outputTokens += event.usage.outputTokens;
        break;
      case "call.began":
        this.#running.set(event.callId, event.name);
        this.#line("dim", `→ ${event.name} ${this.#short(event.input)}`);
        break;
      case "call.ended": {
        const { name, failed, text } = event.result;
        this.#running.delete(event.callId);
        this.#line(failed ? "red" : "dim", `${failed ? "✗" : "✓"} ${name}: ${this.#short(text)}`);
        break;
      }
      case "note":
        this.#line("dim", `(${event.text})`);
        break;
      case "compacted":
        this.#line("dim", "(older parts of the conversation are shown shorter to the model from now on)");
        break;
      case "run.began":
      case "run.ended":
      case "answer.reasoning":
      case "call.updated":
      case "message.taken":
        break;
      default:
        event satisfies never;
    }
    this.#showStatus(event);
  };

  /** Prints how a run ended, unless it ended with an answer. */
  finish(end: RunEnd, { resume, next }: { readonly resume: string; readonly next: string }): void {
    this.#endText();
    this.#status.clear();
    switch (end.state) {
      case "completed":
        if (end.stop === "length") this.#line("yellow", "the answer was cut off at its longest");
        if (end.stop === "refused") this.#line("yellow", "the model's provider keeps its answer back");
        if (end.stop === "empty") this.#line("yellow", "the model has nothing to say");
        break;
      case "stopped":
        this.#line("yellow", `interrupted; ${next}`);
        break;
      case "paused":
        // Where there is too little of something, the end says of what.
        if (end.why === "budget" || end.why === "context") this.#say("yellow", end.text);
        this.#line("yellow", `paused (${pauses[end.why] ?? end.why}); ${resume} goes on`);
        break;
      case "parked":
        this.#line("yellow", `waits for ${end.waitFor}; ${resume} goes on`);
        break;
      case "failed":
        this.#terminal.err(
          `${this.#terminal.paintError("red", "haft:")} ${this.#terminal.foreignError(end.text)} [${end.code}]\n`,
        );
        break;
      default:
        end satisfies never;
    }
  }

  /** Usage of all runs that were shown. */
  describeUsage(): string {
    const count = (tokens: number) => tokens.toLocaleString("en");
    return `${count(this.#inputTokens)} tokens asked, ${count(this.#cachedTokens)} of them from a cache, ${count(this.#outputTokens)} answered`;
  }

  #speak(text: string): void {
    if (text === "") return;
    this.#status.clear();
    this.#terminal.out(text);
  }

  #endText(): void {
    if (!this.#isSpeaking) return;
    this.#isSpeaking = false;
    this.#speak(this.#markdown.end());
  }

  #line(paint: "dim" | "red" | "yellow", text: string): void {
    this.#status.clear();
    const terminal = this.#terminal;
    const shown = terminal.foreignError(text.replaceAll("\n", " "));
    terminal.err(`${terminal.paintError(paint, fitWidth(shown, terminal.errorWidth - 1))}\n`);
  }

  /** A text of any length. */
  #say(paint: "yellow", text: string): void {
    this.#status.clear();
    const terminal = this.#terminal;
    terminal.err(`${terminal.paintError(paint, terminal.foreignError(text))}\n`);
  }

  #short(text: string): string {
    const line = text.trim().replaceAll(/\s+/g, " ");
    return line.length <= shownChars ? line : `${line.slice(0, shownChars)}…`;
  }

  #showStatus({ type }: AgentEvent): void {
    if (this.#step === 0 || type === "answer.text" || type === "run.ended") return;
    const running = Array.from(this.#running.values());
    const parts = [
      `step ${this.#step}`,
      running.length === 0 ? "thinking" : running.join(", "),
      ...(this.#inputTokens === 0
        ? []
        : [`${Math.round((100 * this.#cachedTokens) / this.#inputTokens)} % cached`]),
    ];
    this.#status.show(parts.join(" · "));
  }
}

/** The status line, redrawn while a run goes on. */
export interface StatusLine {
  show(text: string): void;
  /** Clears the line before anything else is printed. */
  clear(): void;
}

/** Draws the line at the bottom of a terminal; does nothing elsewhere. */
function terminalStatus(terminal: Terminal): StatusLine {
  let isShown = false;
  const clear = () => {
    if (isShown) terminal.err("\r\u001b[K");
    isShown = false;
  };
  return {
    clear,
    show: (text) => {
      if (terminal.streams.stderr.isTTY !== true) return;
      clear();
      terminal.err(terminal.paintError("dim", fitWidth(text, terminal.errorWidth - 1)));
      isShown = true;
    },
  };
}

const pauses: Readonly<Record<string, string>> = {
  steps: "the limit of steps is reached",
  repetition: "it makes the same calls again and again",
  context: "the conversation has no more room",
  budget: "the budget is used up",
};
