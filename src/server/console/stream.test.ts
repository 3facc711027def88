import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { EventCursor, RecordEvent, RecordEvents, Records } from "../../app/index.ts";
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

  write(text: string): boolean {
    this.sent += text;
    if (!this.isQuick) this.writableLength += text.length;
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

/** Records whose events the test makes. */
class Events implements Pick<Records, "follow"> {
  readonly #queue: RecordEvents[] = [];
  #wake: () => void = () => {};
  after: EventCursor | "now" | undefined;
  #ledger = 0;
  isRead = false;

  lose(): void {
    this.#queue.push({ events: [], isGap: true, cursor: { ledger: ++this.#ledger, event: 0 } });
    this.#wake();
  }

  say(...ids: readonly string[]): void {
    const events = ids.map((id): RecordEvent => ({ seq: ++this.#ledger, at: 1, kind: "call", id }));
    this.#queue.push({ events, cursor: { ledger: this.#ledger, event: 7 } });
    this.#wake();
  }

  async *follow(after: EventCursor | "now", signal: AbortSignal): AsyncGenerator<RecordEvents> {
    this.after = after;
    this.isRead = true;
    signal.addEventListener("abort", () => this.#wake());
    try {
      while (!signal.aborted) {
        const next = this.#queue.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
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

test("events are sent with the cursor to go on from, each thing that changed once in a while", async () => {
  const { connection, records, clock } = start({ ledger: 3, event: 4 });
  records.say("c_1", "c_2", "c_1");
  await clock.advance(0);
  expect(records.after).toEqual({ ledger: 3, event: 4 });
  expect(connection.messages()).toMatchObject([
    { id: "3.7", event: "", data: [{ id: "c_1", seq: 3 }, { id: "c_2" }] },
  ]);
  records.say("c_1");
  records.say("c_3");
  await clock.advance(49);
  expect(connection.messages()).toHaveLength(1);
  await clock.advance(1);
  expect(connection.messages()[1]).toMatchObject({ id: "5.7", data: [{ id: "c_1" }, { id: "c_3" }] });
});

test("a reader is told of a gap where events are no longer kept", async () => {
  const { connection, records, clock } = start({ ledger: 0, event: 1 });
  records.lose();
  await clock.advance(0);
  expect(connection.messages()).toEqual([{ id: "1.0", event: "gap", data: {} }]);
  records.say("c_1");
  await clock.advance(50);
  expect(connection.messages()[1]).toMatchObject({ event: "", data: [{ id: "c_1" }] });
});

test("a slow reader is sent nothing more until it has read, and then a gap if there was too much", async () => {
  const { connection, records, clock } = start();
  connection.isQuick = false;
  connection.writableLength = 600_000;
  records.say("c_1");
  await clock.advance(60_000);
  expect(connection.messages()).toEqual([]);
  connection.drain();
  expect(connection.messages()).toMatchObject([{ id: "1.7", data: [{ id: "c_1" }] }]);
  await clock.advance(50);
  connection.writableLength = 600_000;
  for (let batch = 0; batch < 20; batch++)
    records.say(...Array.from({ length: 500 }, (_, at) => `c_${batch}_${at}`));
  await clock.advance(50);
  connection.drain();
  const [, gap] = connection.messages();
  expect(gap).toEqual({ id: "10001.7", event: "gap", data: {} });
  await clock.advance(50);
  connection.drain();
  records.say("c_2");
  await clock.advance(50);
  expect(connection.messages()[2]).toMatchObject({ id: "10002.7", event: "", data: [{ id: "c_2" }] });
});

test("no reader makes the server keep more than a megabyte", async () => {
  const { connection, records, clock } = start();
  connection.isQuick = false;
  for (let batch = 0; batch < 100; batch++) {
    records.say(...Array.from({ length: 400 }, (_, at) => `c_${"x".repeat(40)}_${batch}_${at}`));
    await clock.advance(50);
  }
  expect(connection.writableLength).toBeLessThan(1_048_576);
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
