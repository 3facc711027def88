import type { EventCursor, JsonEvents, Records } from "../../app/index.ts";
import type { Clock } from "../../base/index.ts";
import type { HttpResponse } from "../http/port.ts";
import { ConsoleFault } from "./errors.ts";
import { consoleHeaders } from "./headers.ts";

/** Unsent bytes in a connection from which its reader counts as slow. */
const mostBufferedBytes = 524_288;
const heartbeatMs = 15_000;

export interface StreamOptions {
  readonly records: Pick<Records, "followJson">;
  readonly after: EventCursor | "now";
  /** Aborted when the session ends or opens a newer stream. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called at each heartbeat while the reader is connected. */
  readonly onAlive: () => void;
}

/**
 * Sends the events of the store to one reader as `text/event-stream`, until either is gone. The data of each message is a
 * list of `RecordEvent`, which may be empty in the first one; its id is the cursor to continue from. A reader that misses
 * events, such as a slow one, gets a message `gap`, and has to read what it shows again.
 */
export async function sendEvents(response: HttpResponse, options: StreamOptions): Promise<void> {
  const { records, after, clock } = options;
  const gone = new AbortController();
  let readOn = () => {};
  const stop = () => {
    gone.abort();
    readOn();
  };
  response.on("close", stop);
  response.on("error", stop);
  response.on("drain", () => readOn());
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
  const beat = () => {
    options.onAlive();
    if (response.writableLength < mostBufferedBytes) response.write(": \n\n");
    endBeat = clock.after(heartbeatMs, beat);
  };
  let endBeat = clock.after(heartbeatMs, beat);
  try {
    for await (const events of records.followJson(after, gone.signal)) {
      // While a slow reader reads, nothing more is asked for: events wait for it in the store.
      while (response.writableLength >= mostBufferedBytes && !gone.signal.aborted)
        await new Promise<void>((resolve) => (readOn = resolve));
      if (gone.signal.aborted) break;
      response.write(toMessage(events));
    }
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    endBeat();
    options.signal.removeEventListener("abort", stop);
    response.end();
  }
}

function toMessage({ events, cursor, isGap }: JsonEvents): Uint8Array {
  const id = `id: ${formatCursor(cursor)}\n`;
  if (isGap === true) return Buffer.from(`${id}event: gap\ndata: {}\n\n`);
  return Buffer.concat([Buffer.from(`${id}data: `), events.bytes, Buffer.from("\n\n")]);
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
