import { styleText } from "node:util";

/** The three streams of a process, as far as the command line uses them. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export type Paint = Parameters<typeof styleText>[0];

/**
 * Results go to standard output, everything else to standard error. Colours appear where the stream is a terminal
 * that wants them (`NO_COLOR`, `FORCE_COLOR` and `NODE_DISABLE_COLORS` are obeyed); a reader that has gone is no fault.
 */
export class Terminal {
  readonly streams: Streams;
  readonly #gone = new Set<OutputStream>();
  /** Faults that whoever wrote was told of. */
  readonly #told = new WeakSet<Error>();
  #afterWrite: (() => void) | undefined;

  constructor(streams: Streams) {
    this.streams = streams;
    for (const stream of [streams.stdout, streams.stderr]) {
      assumeSize(stream);
      stream.on("error", (error: NodeJS.ErrnoException) => {
        if (!isReaderGone(error, stream) && !this.#told.has(error)) throw error;
        this.#gone.add(stream);
      });
    }
  }

  /** Somebody can be asked, and sees the question. */
  get interactive(): boolean {
    return this.streams.stdin.isTTY === true && this.streams.stderr.isTTY === true;
  }

  /** Calls this after each text that is written. */
  afterWrite(action: () => void): void {
    this.#afterWrite = action;
  }

  /** Columns of standard output; Infinity where it is no terminal. */
  get width(): number {
    return countColumns(this.streams.stdout);
  }

  /** Columns of standard error. */
  get errorWidth(): number {
    return countColumns(this.streams.stderr);
  }

  /** Writes a result. Control characters that would steer a terminal are shown instead; a file gets them as they are. */
  out(text: string): void {
    this.#write(this.streams.stdout, text);
  }

  /**
   * Writes a piece of a result that would be worth little if it were cut, and waits until it is out. Resolves with
   * what went wrong; undefined: nothing.
   */
  async send(text: string): Promise<string | undefined> {
    const stream = this.streams.stdout;
    if (this.#gone.has(stream)) return "its reader has gone";
    return new Promise((resolve) => {
      stream.write(text, (error) => {
        if (error) this.#told.add(error);
        resolve(error ? error.message : undefined);
      });
    });
  }

  /** Writes news, notes and faults. */
  err(text: string): void {
    this.#write(this.streams.stderr, text);
  }

  json(value: unknown): void {
    this.#write(this.streams.stdout, `${JSON.stringify(value, null, 2)}\n`);
  }

  /** One line: for what comes piece by piece. */
  jsonLine(value: unknown): void {
    this.#write(this.streams.stdout, `${JSON.stringify(value)}\n`);
  }

  /** Paints a text for standard output. */
  paint(paint: Paint, text: string): string {
    return styleText(paint, text, { stream: this.streams.stdout as NodeJS.WriteStream });
  }

  /** Paints a text for standard error. */
  paintError(paint: Paint, text: string): string {
    return styleText(paint, text, { stream: this.streams.stderr as NodeJS.WriteStream });
  }

  /** Text from elsewhere, in the form that standard output takes. */
  foreign(text: string): string {
    return this.streams.stdout.isTTY === true ? showControls(text) : text;
  }

  /** Text from elsewhere, in the form that standard error takes. */
  foreignError(text: string): string {
    return this.streams.stderr.isTTY === true ? showControls(text) : text;
  }

  /** Resolves when everything written has left the process. */
  async flush(): Promise<void> {
    for (const stream of [this.streams.stdout, this.streams.stderr]) {
      if (!this.#gone.has(stream)) await new Promise<void>((resolve) => stream.write("", () => resolve()));
    }
  }

  #write(stream: OutputStream, text: string): void {
    if (this.#gone.has(stream)) return;
    stream.write(text);
    this.#afterWrite?.();
  }
}

/** Whether nobody reads a stream any more: its pipe is closed, or its terminal. */
function isReaderGone({ code }: NodeJS.ErrnoException, { isTTY }: OutputStream): boolean {
  return code === "EPIPE" || (code === "EIO" && isTTY === true);
}

const usualColumns = 80;
const usualRows = 24;

/** A terminal whose size nobody has set reports none, and whoever draws on it would wrap after each character. */
function assumeSize(stream: OutputStream & { columns?: number; rows?: number }): void {
  if (stream.isTTY !== true) return;
  if (stream.columns === 0) stream.columns = usualColumns;
  if (stream.rows === 0) stream.rows = usualRows;
}

function countColumns(stream: OutputStream): number {
  return stream.isTTY === true ? stream.columns || usualColumns : Number.POSITIVE_INFINITY;
}

/** Controls that move the cursor, change colours or the title, or turn the direction of writing. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `text` with what would steer a terminal shown as `\u{…}`; tabs and line breaks stay. */
function showControls(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(steering, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}
