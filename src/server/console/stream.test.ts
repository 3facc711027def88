import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import {
  type EventCursor,
  JsonBytes,
  type JsonEvents,
  type RecordEvent,
  type Records,
} from "../../app/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import type { HttpResponse } from "../http/port.ts";
import { readCursor, sendEvents } from "./stream.ts";

/** A connection whose reader takes what it is sent when the test says so. */
class Connection extends EventEmitter implements HttpResponse {
  headersSent = false;
  writableEnded = false;
  writableLength = 0;
  /** The reader takes everything at once. */
  isQuick = true;
  sent = "";

  writeHead(): void {
    this.headersSent = true;
  }

  write(content: string | Uint8Array): boolean {
    this.sent += Buffer.from(content).toString();
    if (!this.isQuick) this.writableLength += content.length;
    return this.writableLength === 0;
  }

  end(): void {
    this.writableEnded = true;
  }

  destroy(): void {
    this.emit("close");
  }

  drain(): void {
    this.writableLength = 0;
    this.emit("drain");
  }

  /** The messages that were sent, without those that only say that the stream lives. */
  messages(): readonly { readonly id: string; readonly event: string; readonly data: unknown }[] {
    return this.sent
      .split("\n\n")
      .filter((block) => block.startsWith("id:"))
      .map((block) => {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
        return { id: field("id"), event: field("event"), data: JSON.parse(field("data")) };
      });
  }
}

function toJson(events: readonly RecordEvent[]): JsonBytes<readonly RecordEvent[]> {
  return new JsonBytes(new TextEncoder().encode(JSON.stringify(events)));
}

/** Records whose events the test makes. */
class Events implements Pick<Records, "followJson"> {
  readonly #queue: JsonEvents[] = [];
  #wake: () => void = () => {};
  after: EventCursor | "now" | undefined;
  #ledger = 0;
  isRead = false;
  /** How often events were asked for. */
  asked = 0;

  lose(count = 1): void {
    this.#ledger += count;
    this.#queue.push({ events: toJson([]), isGap: true, cursor: { ledger: this.#ledger, event: 0 } });
    this.#wake();
  }

  say(...ids: readonly string[]): void {
    const events = ids.map((id): RecordEvent => ({ seq: ++this.#ledger, at: 1, kind: "call", id }));
    this.#queue.push({ events: toJson(events), cursor: { ledger: this.#ledger, event: 7 } });
    this.#wake();
  }

  async *followJson(after: EventCursor | "now", signal: AbortSignal): AsyncGenerator<JsonEvents> {
    this.after = after;
    this.isRead = true;
    signal.addEventListener("abort", () => this.#wake());
    try {
      while (!signal.aborted) {
        this.asked++;
        while (this.#queue.length === 0 && !signal.aborted)
          await new Promise<void>((resolve) => (this.#wake = resolve));
        const next = this.#queue.shift();
        if (next !== undefined) yield next;
      }
    } finally {
      this.isRead = false;
    }
  }
}

function start(after: EventCursor | "now" = "now") {
  const connection = new Connection();
  const records = new Events();
  const clock = createFakeClock();
  const session = new AbortController();
  let alive = 0;
  const ended = sendEvents(connection, {
    records,
    after,
    signal: session.signal,
    clock,
    onAlive: () => alive++,
  });
  return { connection, records, clock, session, ended, countAlive: () => alive };
}

test("events are sent as the records give them, with the cursor to go on from", async () => {
  const { connection, records, clock } = start({ ledger: 3, event: 4 });
  records.say("c_1", "c_2");
  await clock.advance(0);
  expect(records.after).toEqual({ ledger: 3, event: 4 });
  expect(connection.messages()).toMatchObject([
    { id: "2.7", event: "", data: [{ id: "c_1" }, { id: "c_2" }] },
  ]);
  records.say("c_1", "c_3");
  await clock.advance(0);
  expect(connection.messages()[1]).toMatchObject({ id: "4.7", data: [{ id: "c_1" }, { id: "c_3" }] });
});

test("a reader is told of a gap where events are no longer kept", async () => {
  const { connection, records, clock } = start({ ledger: 0, event: 1 });
  records.lose();
  await clock.advance(0);
  expect(connection.messages()).toEqual([{ id: "1.0", event: "gap", data: {} }]);
  records.say("c_1");
  await clock.advance(0);
  expect(connection.messages()[1]).toMatchObject({ event: "", data: [{ id: "c_1" }] });
});

test("a slow reader is sent nothing more until it has read, and nothing is asked for it", async () => {
  const { connection, records, clock } = start();
  connection.isQuick = false;
  connection.writableLength = 600_000;
  records.say("c_1");
  records.lose(10_000);
  await clock.advance(60_000);
  expect([connection.messages(), records.asked]).toEqual([[], 1]);
  connection.drain();
  await clock.advance(0);
  expect(connection.messages()).toMatchObject([
    { id: "1.7", data: [{ id: "c_1" }] },
    { id: "10001.0", event: "gap", data: {} },
  ]);
  records.say("c_2");
  await clock.advance(0);
  expect(connection.messages()[2]).toMatchObject({ id: "10002.7", event: "", data: [{ id: "c_2" }] });
});

test("no reader makes the server keep more than a megabyte", async () => {
  const { connection, records, clock } = start();
  connection.isQuick = false;
  for (let batch = 0; batch < 100; batch++) {
    records.say(...Array.from({ length: 1000 }, (_, at) => `c_${"x".repeat(40)}_${batch}_${at}`));
    await clock.advance(50);
  }
  expect(connection.writableLength).toBeLessThan(1_048_576);
  expect(records.asked).toBeLessThan(20);
});

test("a slow reader that leaves is waited for no longer", async () => {
  const { connection, records, clock, ended } = start();
  connection.writableLength = 600_000;
  records.say("c_1");
  await clock.advance(0);
  connection.emit("close");
  await ended;
  expect([connection.messages(), records.isRead]).toEqual([[], false]);
});

test("a stream ends with its session, with its reader, and reads nothing from then on", async () => {
  const one = start();
  await one.clock.advance(0);
  expect(one.records.isRead).toBe(true);
  one.session.abort();
  await one.ended;
  const two = start();
  await two.clock.advance(0);
  two.connection.emit("close");
  await two.ended;
  for (const { connection, records, clock } of [one, two])
    expect([connection.writableEnded, records.isRead, clock.pending]).toEqual([true, false, 0]);
});

test("a stream says that it lives, and that somebody is there", async () => {
  const { connection, clock, countAlive } = start();
  expect(connection.sent).toBe(": \n\n");
  await clock.advance(45_000);
  expect(countAlive()).toBe(3);
  expect(connection.sent).toBe(": \n\n".repeat(4));
});

test("readCursor() takes what a message had as id, and nothing else", () => {
  expect([readCursor("12.3"), readCursor(undefined), readCursor("now")]).toEqual([
    { ledger: 12, event: 3 },
    "now",
    "now",
  ]);
  for (const text of ["", "12", "12.", "-1.2", "1.2.3", "1e3.0", `${"9".repeat(16)}.0`])
    expect(() => readCursor(text)).toThrow(/"after" is the id of a message/);
});
