import type { EventCursor, RecordEvent, RecordEvents, Records } from "../../app/index.ts";
import type { Clock } from "../../base/index.ts";
import type { HttpResponse } from "../http/port.ts";
import { ConsoleFault } from "./errors.ts";
import { consoleHeaders } from "./headers.ts";

/** Events that are kept for a reader who is slow; more of them become a gap. An event takes some 100 bytes. */
const mostWaiting = 5000;
/** Bytes that wait in a connection before its reader counts as slow. */
const mostBufferedBytes = 524_288;
const heartbeatMs = 15_000;
/** How often a page is told at most, some frames of a screen. */
const paceMs = 50;

export interface StreamOptions {
  readonly records: Pick<Records, "follow">;
  readonly after: EventCursor | "now";
  /** Aborted when the session ends, or a newer stream of it begins. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called while the reader is there. */
  readonly onAlive: () => void;
}

/**
 * Sends the events of the store to one reader until either is gone, as `text/event-stream`: each message has a list of
 * `RecordEvent`, and as its id the cursor to go on from. The first may be empty. What a slow reader has not taken is kept
 * up to a bound; beyond it, a message of the event `gap` says that what is shown is to be read anew.
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
  // The reader learns at once that it is connected.
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

/** Writes events at a pace that a page can show, and never more than the reader takes. */
class EventWriter {
  readonly #response: HttpResponse;
  readonly #clock: Clock;
  /** Where the reader stands, and where it will stand once all that waits is sent. */
  #sent: EventCursor | undefined;
  #reached: EventCursor | undefined;
  /** The latest event of each thing that changed, in the order of their first. */
  readonly #waiting = new Map<string, RecordEvent>();
  #isGap = false;
  #isPaced = false;
  #endPace: () => void = () => {};

  constructor(response: HttpResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
    response.on("drain", () => this.#flush());
  }

  add({ events, cursor }: RecordEvents): void {
    this.#reached = cursor;
    for (const event of events) if (!this.#isGap) this.#waiting.set(`${event.kind} ${event.id}`, event);
    if (this.#waiting.size > mostWaiting) {
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
