import type { AgentEvent, RunEnd } from "../../agent/index.ts";
import { type Clock, systemClock } from "../../base/index.ts";
import type { Approver } from "../../kernel/index.ts";
import type { Terminal } from "../terminal.ts";
import { displayWidth, fitEnd, fitWidth, wrapText } from "../text/display-width.ts";
import { formatUsd } from "../usage/format-usd.ts";
import { describeCall, describeCallEnd } from "./call-line.ts";
import { createLiveLines, type LiveLines } from "./live-lines.ts";
import { MarkdownPrinter } from "./markdown-printer.ts";
import { describeNote } from "./note-text.ts";
import { isUnpriced } from "./raise-budget.ts";
import { describeRetry } from "./retry-text.ts";
import { describeWaits } from "./run-state.ts";

const tickMs = 1_000;

/** What a person can do after a run that did not end with an answer. */
export interface FinishWords {
  /** The command that goes on with the run. */
  readonly resume: string;
  /** How a run goes on that was interrupted. */
  readonly next: string;
  /** How a run goes on that has paused. @default the command does */
  readonly wayOn?: string;
}

/**
 * Shows a run in progress: the model's text on standard output; calls, notes and the status line on standard error.
 * Printed output never changes, except the live lines at the bottom: the line that is being written, and the status.
 */
export class RunDisplay {
  /** The name of the model that is asked. @default the status line has none */
  model: string | undefined;
  readonly #terminal: Terminal;
  readonly #live: LiveLines;
  readonly #clock: Clock;
  readonly #markdown: MarkdownPrinter;
  readonly #running = new Map<string, string>();
  #step = 0;
  #inputTokens = 0;
  #cachedTokens = 0;
  #outputTokens = 0;
  #cost = 0;
  #unpriced = 0;
  /** Whether the text of an answer is under way. */
  #isSpeaking = false;
  /** When the current request or call began; undefined while nothing is done. */
  #since: number | undefined;
  /** What is done while no call runs. */
  #doing = "thinking";
  #stopTicking: (() => void) | undefined;
  /** How many questions are shown, or wait for the terminal. */
  #asking = 0;
  /** Output that is held back while a question is shown. */
  #held: (() => void)[] = [];

  constructor(terminal: Terminal, live: LiveLines = createLiveLines(terminal), clock: Clock = systemClock) {
    this.#terminal = terminal;
    this.#live = live;
    this.#clock = clock;
    this.#markdown = new MarkdownPrinter({
      width: terminal.width,
      paint: (paint, text) => terminal.paint(paint, text),
    });
  }

  readonly show = (event: AgentEvent): void => {
    switch (event.type) {
      case "step.began":
        this.#step = event.step;
        this.#begin("thinking");
        break;
      case "answer.text":
        this.#doing = "answering";
        this.#speak(this.#markdown.add(this.#terminal.foreign(event.delta)));
        this.#isSpeaking = true;
        break;
      case "reply":
        this.#speak(this.#markdown.add(this.#terminal.foreign(event.text)));
        this.#speak(this.#markdown.end());
        break;
      case "answer.withdrawn":
        this.#endText();
        this.#say("yellow", "that answer does not count: it was not whole");
        break;
      case "request.retried":
        this.#endText();
        this.#say("yellow", describeRetry(event));
        this.#begin(event.waitMs < tickMs ? "thinking" : "waiting");
        break;
      case "answer.ended":
        this.#endText();
        this.#count(event);
        break;
      case "call.began":
        this.#running.set(event.callId, event.name);
        this.#begin("thinking");
        this.#line("dim", describeCall(event.name, event.input));
        break;
      case "call.ended": {
        const { line, failed } = describeCallEnd(event.result);
        this.#running.delete(event.callId);
        this.#line(failed ? "red" : "dim", line);
        break;
      }
      case "call.parked":
        this.#running.delete(event.callId);
        this.#line("yellow", `… ${event.name} waits for an answer`);
        break;
      case "note": {
        const text = describeNote(event.about, event.text);
        if (text !== undefined) this.#line("dim", text);
        break;
      }
      case "compacted":
        this.#say("dim", "(older parts of the conversation are shown shorter to the model from now on)");
        break;
      case "run.began":
        this.#tick();
        break;
      case "run.ended":
      case "answer.reasoning":
      case "call.updated":
      case "message.taken":
        break;
      default:
        event satisfies never;
    }
    if (event.type !== "run.ended") this.#draw();
  };

  /** An approver that has the terminal to itself while it asks: nothing else is printed before the answer. */
  lendTo(approver: Approver): Approver {
    const { identity } = approver;
    return {
      identity,
      ask: async (approval, signal) => {
        this.#asking++;
        this.#live.clear();
        try {
          return await approver.ask(approval, signal);
        } finally {
          this.#asking--;
          if (this.#asking === 0) for (const print of this.#held.splice(0)) this.#print(print);
        }
      },
    };
  }

  /** Stops the clock and removes the live lines. */
  stop(): void {
    this.#stopTicking?.();
    this.#endText();
    this.#live.clear();
    this.#running.clear();
  }

  /** Prints how a run ended, unless it ended with an answer. */
  finish(end: RunEnd, { resume, next, wayOn = `${resume} goes on` }: FinishWords): void {
    this.stop();
    switch (end.state) {
      case "completed":
        if (end.stop === "length") this.#say("yellow", "the answer was cut off at its longest");
        if (end.stop === "refused") this.#say("yellow", "the model's provider keeps its answer back");
        if (end.stop === "empty") this.#say("yellow", "the model has nothing to say");
        break;
      case "stopped":
        this.#say("yellow", `interrupted; ${next}`);
        break;
      case "paused":
        // The end of such a run says what there is too little of.
        if (end.why === "budget" || end.why === "context") this.#say("yellow", end.text);
        this.#say(
          "yellow",
          `paused (${isUnpriced(end) ? "its budget can't be kept" : (pauses[end.why] ?? end.why)}); ${wayOn}`,
        );
        break;
      case "parked":
        this.#say("yellow", describeWaits(end.waitFor, Date.now()).join("\n"));
        this.#say(
          "yellow",
          `\`haft serve\` in this folder then goes on with it; ${resume} goes on here, now`,
        );
        break;
      case "failed":
        this.#say("red", `haft: ${end.text} [${end.code}]`);
        this.#say("yellow", `${resume} tries again, once that is put right`);
        break;
      default:
        end satisfies never;
    }
  }

  /** Usage of all runs that were shown. */
  describeUsage(): string {
    const count = (tokens: number) => tokens.toLocaleString("en");
    const cost = this.#describeCost();
    return `${count(this.#inputTokens)} tokens asked, ${count(this.#cachedTokens)} of them from a cache, ${count(this.#outputTokens)} answered${cost === "" ? "" : `, ${cost}`}`;
  }

  #begin(doing: string): void {
    this.#doing = doing;
    this.#since = this.#clock.now();
  }

  #count({ usage, cost }: Extract<AgentEvent, { type: "answer.ended" }>): void {
    this.#inputTokens += usage.inputTokens;
    this.#cachedTokens += usage.cacheReadTokens;
    this.#outputTokens += usage.outputTokens;
    if (cost === undefined) this.#unpriced++;
    else this.#cost += cost;
  }

  /** Empty where nothing was asked. */
  #describeCost(): string {
    if (this.#unpriced === 0) return this.#inputTokens === 0 ? "" : formatUsd(this.#cost);
    return this.#cost === 0 ? "" : `${formatUsd(this.#cost)} + ${this.#unpriced} unpriced`;
  }

  #speak(text: string): void {
    if (text !== "") this.#print(() => this.#terminal.out(text));
  }

  #endText(): void {
    if (!this.#isSpeaking) return;
    this.#isSpeaking = false;
    this.#speak(this.#markdown.end());
  }

  /** A text in one line: what does not fit is cut. */
  #line(paint: "dim" | "red" | "yellow", text: string): void {
    const terminal = this.#terminal;
    const shown = terminal.foreignError(text.replaceAll("\n", " "));
    this.#print(() =>
      terminal.err(`${terminal.paintError(paint, fitWidth(shown, terminal.errorWidth - 1))}\n`),
    );
  }

  /** A text of any length. */
  #say(paint: "dim" | "red" | "yellow", text: string): void {
    const terminal = this.#terminal;
    this.#print(() => {
      for (const line of wrapText(terminal.foreignError(text), terminal.errorWidth))
        terminal.err(`${terminal.paintError(paint, line)}\n`);
    });
  }

  /** Prints above the live lines, or once the terminal is not lent to a question any more. */
  #print(print: () => void): void {
    if (this.#asking > 0) {
      this.#held.push(print);
      return;
    }
    this.#live.clear();
    print();
  }

  #tick(): void {
    this.#stopTicking?.();
    if (this.#terminal.streams.stderr.isTTY !== true) return;
    this.#stopTicking = this.#clock.after(tickMs, () => {
      this.#draw();
      this.#tick();
    });
  }

  #draw(): void {
    if (this.#step === 0 || this.#asking > 0) return;
    const width = this.#terminal.errorWidth - 1;
    const growing = this.#isSpeaking ? this.#markdown.growing : "";
    const running = Array.from(this.#running.values());
    const seconds = Math.floor((this.#clock.now() - (this.#since ?? this.#clock.now())) / 1000);
    const cost = this.#describeCost();
    const parts = [
      `step ${this.#step}`,
      running.length === 0 ? this.#doing : running.join(", "),
      ...(seconds >= 1 ? [`${seconds} s`] : []),
      ...(cost === "" ? [] : [cost]),
      ...(this.#inputTokens === 0
        ? []
        : [`${Math.round((100 * this.#cachedTokens) / this.#inputTokens)} % cached`]),
      ...(this.model === undefined ? [] : [this.model]),
    ];
    // The names of tools are as the model wrote them, and the model may be one of a project.
    const state = joinFitting(
      parts.map((part) => this.#terminal.foreignError(part.replaceAll("\n", " "))),
      width,
    );
    this.#live.show([
      ...(growing === "" ? [] : [fitEnd(growing, width)]),
      this.#terminal.paintError("dim", state),
    ]);
  }
}

/** Joins as many of the parts as fit side by side, the first two in any case. */
function joinFitting(parts: readonly string[], width: number): string {
  const joined = parts.join(" · ");
  if (parts.length <= 2 || displayWidth(joined) <= width) return fitWidth(joined, width);
  return joinFitting(parts.slice(0, -1), width);
}

const pauses: Readonly<Record<string, string>> = {
  steps: "the limit of steps is reached",
  repetition: "it makes the same calls again and again",
  context: "the conversation has no more room",
  budget: "the budget is used up",
};
