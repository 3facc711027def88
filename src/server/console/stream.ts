import type { EventCursor, RecordEvent, RecordEvents, Records } from "../../app/index.ts";
import type { Clock } from "../../base/index.ts";
import type { HttpResponse } from "../http/port.ts";
import { ConsoleFault } from "./errors.ts";
import { consoleHeaders } from "./headers.ts";

/** Events that are kept for a slow reader, of some 100 bytes each. Beyond that the reader gets a `gap`. */
const mostWaiting = 5000;
/** Unsent bytes in a connection from which its reader counts as slow. */
const mostBufferedBytes = 524_288;
const heartbeatMs = 15_000;
/** Shortest time between two messages to a page: three frames of a screen. */
const paceMs = 50;

export interface StreamOptions {
  readonly records: Pick<Records, "follow">;
  readonly after: EventCursor | "now";
  /** Aborted when the session ends or opens a newer stream. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called at each heartbeat while the reader is connected. */
  readonly onAlive: () => void;
}

/**
 * Sends the events of the store to one reader as `text/event-stream`, until either is gone. The data of each message is a
 * list of `RecordEvent`, which may be empty in the first one; its id is the cursor to continue from. Events are kept for a
 * slow reader up to a limit. Beyond it the reader gets a message `gap`, and has to read what it shows again.
 */
export async function sendEvents(response: HttpResponse, options: StreamOptions): Promise<void> {
  const { records, after, clock } = options;
  const gone = new AbortController();
  const stop = () => gone.abort();
  response.on("close", stop);
  response.on("error", stop);
  options.signal.addEventListener("abort", stop, { once: true });
  // The reader may have left before anybody listened for it.
  if (options.signal.aborted || response.destroyed === true) stop();
  response.writeHead(200, {
    ...consoleHeaders,
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
  });
  // A first comment tells the reader at once that it is connected.
  response.write(": \n\n");
  const writer = new EventWriter(response, clock);
  const beat = () => {
    options.onAlive();
    if (response.writableLength < mostBufferedBytes) response.write(": \n\n");
    endBeat = clock.after(heartbeatMs, beat);
  };
  let endBeat = clock.after(heartbeatMs, beat);
  try {
    for await (const events of records.follow(after, gone.signal)) writer.add(events);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    endBeat();
    writer.close();
    options.signal.removeEventListener("abort", stop);
    response.end();
  }
}

/** Writes events at the pace of a page, and no faster than the reader takes them. */
class EventWriter {
  readonly #response: HttpResponse;
  readonly #clock: Clock;
  /** Cursors after the last message, and after the events that wait. */
  #sent: EventCursor | undefined;
  #reached: EventCursor | undefined;
  /** The latest event of each changed thing, in the order of its first event. */
  readonly #waiting = new Map<string, RecordEvent>();
  #isGap = false;
  #isPaced = false;
  #endPace: () => void = () => {};

  constructor(response: HttpResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
    response.on("drain", () => this.#flush());
  }

  add({ events, cursor, isGap }: RecordEvents): void {
    this.#reached = cursor;
    for (const event of events) if (!this.#isGap) this.#waiting.set(`${event.kind} ${event.id}`, event);
    if (isGap === true || this.#waiting.size > mostWaiting) {
      this.#waiting.clear();
      this.#isGap = true;
    }
    this.#flush();
  }

  close(): void {
    this.#endPace();
  }

  #flush(): void {
    const to = this.#reached;
    if (to === undefined || to === this.#sent || this.#isPaced) return;
    if (this.#response.writableLength >= mostBufferedBytes) return;
    const message = this.#isGap
      ? "event: gap\ndata: {}"
      : `data: ${JSON.stringify([...this.#waiting.values()])}`;
    this.#waiting.clear();
    this.#isGap = false;
    this.#sent = to;
    this.#response.write(`id: ${formatCursor(to)}\n${message}\n\n`);
    this.#isPaced = true;
    this.#endPace = this.#clock.after(paceMs, () => {
      this.#isPaced = false;
      this.#flush();
    });
  }
}

function formatCursor({ ledger, event }: EventCursor): string {
  return `${ledger}.${event}`;
}

/** @throws {ConsoleFault} CONSOLE_INPUT */
export function readCursor(text: string | undefined): EventCursor | "now" {
  if (text === undefined || text === "now") return "now";
  const [, ledger, event] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  if (ledger === undefined || event === undefined)
    throw new ConsoleFault(
      "CONSOLE_INPUT",
      'Cannot follow from there: "after" is the id of a message, or absent',
    );
  return { ledger: Number(ledger), event: Number(event) };
}
