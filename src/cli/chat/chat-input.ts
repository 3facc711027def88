import { createInterface, type Interface } from "node:readline";
import { getErrorCode } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { countRows } from "../text/display-width.ts";
import type { LiveLines } from "./live-lines.ts";

const prompt = "› ";
/** The prompt of the second and later lines of one message. */
const moreMark = "  ";

/** Node's interface, with the row of the cursor that it remembers between two drawings. */
type DrawnInterface = Interface & { prevRows?: number };

/** What a person has typed of the next message. */
interface Draft {
  /** Lines of the message before the one that is edited. */
  readonly before: readonly string[];
  readonly line: string;
}

/**
 * Messages that a person types while other things are printed. What is typed stays on the last line, below the live
 * lines. A text of several lines that is pasted is one message, and so are lines that end with a backslash.
 */
export class ChatInput implements LiveLines {
  readonly #terminal: Terminal;
  readonly #isLive: boolean;
  readonly #messages: string[] = [];
  #history: string[] = [];
  #before: string[] = [];
  #draftLine = "";
  #isPasting = false;
  /** Whether the live lines and what is typed are on the screen. */
  #isDrawn = false;
  #shown: readonly string[] = [];
  #wake: (() => void) | undefined;
  #readline: DrawnInterface | undefined;
  /** Output that is held back while the terminal is lent; undefined while it is not lent. */
  #held: (() => void)[] | undefined;
  /** Whether typing is possible again once the terminal is no longer lent. */
  #reopens = false;
  #isEnded = false;
  #onMessage: ((message: string) => void) | undefined;
  #onInterrupt: () => void = () => {};
  #complete: (line: string) => readonly string[] = () => [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#isLive = terminal.interactive;
  }

  /** Called at Ctrl-C. */
  set onInterrupt(action: () => void) {
    this.#onInterrupt = action;
  }

  /** Whole lines that a line can be completed to with the Tab key. */
  set completions(complete: (line: string) => readonly string[]) {
    this.#complete = complete;
  }

  /**
   * The next message; undefined at the end of the input.
   *
   * @param stop Ends the wait: what was typed of a message stays. @default it is never ended
   */
  async next(stop?: AbortSignal): Promise<string | undefined> {
    this.#open();
    this.show([]);
    const wake = () => this.#wake?.();
    stop?.addEventListener("abort", wake, { once: true });
    while (this.#messages.length === 0 && !this.#isEnded && stop?.aborted !== true)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    stop?.removeEventListener("abort", wake);
    this.clear();
    return this.#messages.shift();
  }

  /** Hands each message over as it comes, until the returned function is called; lines of a pipe wait for {@link next}. */
  listen(action: (message: string) => void): () => void {
    if (!this.#isLive) return () => {};
    this.#onMessage = action;
    this.#open();
    return () => {
      this.#onMessage = undefined;
    };
  }

  /**
   * Leaves the terminal to a question, which reads keys itself. Afterwards the draft is restored and the output that
   * was held back is printed.
   */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isLive) return work();
    this.clear();
    this.#reopens = this.#readline !== undefined;
    this.#suspend();
    this.#held ??= [];
    try {
      return await work();
    } finally {
      const held = this.#held;
      this.#held = undefined;
      if (this.#reopens) this.#open();
      for (const print of held) print();
      this.#redraw();
    }
  }

  /** Takes back what was typed of a message. False if there was nothing. */
  dropDraft(): boolean {
    const { before, line } = this.#draft;
    if (before.length === 0 && line === "") return false;
    this.clear();
    this.#before = [];
    // Ctrl-E and Ctrl-U: the whole line goes.
    this.#readline?.write(null, { ctrl: true, name: "e" });
    this.#readline?.write(null, { ctrl: true, name: "u" });
    this.#redraw();
    return true;
  }

  show(lines: readonly string[]): void {
    this.#shown = lines;
    this.#redraw();
  }

  clear(): void {
    const readline = this.#readline;
    if (readline === undefined || !this.#isDrawn) return;
    const { rows } = readline.getCursorPos();
    readline.prevRows = 0;
    this.#isDrawn = false;
    this.#terminal.err(`\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`);
  }

  /** Prints something above the live lines and what is typed. */
  above(print: () => void): void {
    if (this.#held !== undefined) {
      this.#held.push(print);
      return;
    }
    this.clear();
    print();
    this.#redraw();
  }

  close(): void {
    this.clear();
    this.#isEnded = true;
    this.#suspend();
    this.#wake?.();
  }

  get #draft(): Draft {
    return { before: this.#before, line: this.#readline?.line ?? this.#draftLine };
  }

  #redraw(): void {
    if (!this.#isLive || this.#readline === undefined) return;
    this.#readline.setPrompt([...this.#shown, this.#before.length > 0 ? moreMark : prompt].join("\n"));
    this.#readline.prompt(true);
    this.#isDrawn = true;
  }

  #open(): void {
    if (this.#readline !== undefined || this.#isEnded) return;
    if (this.#held !== undefined) {
      // Two readers would both get the key that answers the question.
      this.#reopens = true;
      return;
    }
    const { stdin, stderr } = this.#terminal.streams;
    const readline = this.#createReadline();
    if (readline === undefined) {
      this.#isEnded = true;
      this.#wake?.();
      return;
    }
    this.#readline = readline;
    readline.on("line", (line) => this.#take(line));
    readline.on("SIGINT", () => this.#onInterrupt());
    readline.on("error", ignoreHangup);
    readline.on("history", (history) => {
      this.#history = history;
    });
    readline.on("close", () => {
      // Ctrl-D, or the end of a pipe.
      if (this.#readline !== readline) return;
      this.#isEnded = true;
      this.#wake?.();
    });
    if (!this.#isLive) return;
    stdin.on("keypress", this.#watchKeys);
    stderr.prependListener("resize", this.#fitRows);
    this.#terminal.err(pasteMarks.on);
    if (this.#draftLine === "") return;
    readline.setPrompt("");
    readline.write(this.#draftLine);
    this.#draftLine = "";
    this.#redraw();
  }

  /** Returns undefined if the terminal has been closed. */
  #createReadline(): DrawnInterface | undefined {
    const { stdin, stderr } = this.#terminal.streams;
    if (!this.#isLive) return createInterface({ input: stdin });
    // Node's interface sets the mode of the terminal when it is made, and once more when it is closed.
    if (!stdin.listeners("error").includes(ignoreHangup)) stdin.on("error", ignoreHangup);
    try {
      return createInterface({
        input: stdin,
        output: stderr,
        terminal: true,
        history: [...this.#history],
        completer: (line: string) => [[...this.#complete(line)], line] as [string[], string],
      });
    } catch (error) {
      if (getErrorCode(error) === "EIO") return undefined;
      throw error;
    }
  }

  readonly #watchKeys = (_: unknown, key: { readonly name?: string } | undefined): void => {
    // Node's interface has drawn what this key changed; what an Enter did is known already.
    if (key?.name !== "return" && key?.name !== "enter") this.#isDrawn = true;
    if (key?.name === "paste-start") this.#isPasting = true;
    if (key?.name === "paste-end") this.#isPasting = false;
  };

  /** A terminal of another width shows the same lines in another number of rows. */
  readonly #fitRows = (): void => {
    if (this.#readline !== undefined) this.#readline.prevRows = this.#readline.getCursorPos().rows;
  };

  #take(line: string): void {
    if (this.#isLive) this.#keepTyped(line);
    const goesOn = this.#isLive && (this.#isPasting || line.endsWith("\\"));
    if (goesOn) {
      this.#before.push(this.#isPasting ? line : line.slice(0, -1));
      this.#redraw();
      return;
    }
    const message = [...this.#before, line].join("\n");
    this.#before = [];
    if (this.#onMessage !== undefined) {
      this.#redraw();
      this.#onMessage(message);
    } else {
      this.#messages.push(message);
      this.#wake?.();
    }
  }

  /** Keeps the typed line on the screen, and removes the live lines above it. */
  #keepTyped(line: string): void {
    const mark = this.#before.length > 0 ? moreMark : prompt;
    const rows = countRows([...this.#shown, mark + line], this.#terminal.errorWidth);
    this.#isDrawn = false;
    if (this.#shown.length > 0) this.#terminal.err(`\r\u001b[${rows}A\u001b[J${mark}${line}\n`);
  }

  #suspend(): void {
    const readline = this.#readline;
    if (readline === undefined) return;
    this.#draftLine = readline.line;
    this.#readline = undefined;
    readline.close();
    if (!this.#isLive) return;
    const { stdin, stderr } = this.#terminal.streams;
    stdin.off("keypress", this.#watchKeys);
    stderr.off("resize", this.#fitRows);
    this.#isPasting = false;
    this.#terminal.err(pasteMarks.off);
  }
}

/** Ignores that the terminal was closed: the interface reports the end of its input by itself. */
function ignoreHangup(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== "EIO") throw thrown;
}

/** Asks the terminal to mark the beginning and the end of a text that is pasted, or no more. */
const pasteMarks = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;
