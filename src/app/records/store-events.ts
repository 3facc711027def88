import { type Clock, pause } from "../../base/index.ts";
import type { Database } from "../../db/index.ts";
import type { EventCursor, RecordEvent, RecordEvents } from "./records.ts";

/** How often a change by any process is looked for while somebody waits for one. */
const lookMs = 200;
/** Events that are given at once. */
const mostEvents = 1000;
/** Events after which reading anew is quicker than following. */
const mostBehind = 5000;

const endSql = `select coalesce((select "seq" from "ledger_head" where "id" = 1), 0) as "ledger", coalesce((select max("seq") from "event"), 0) as "event"`;
const callsSql = `select "seq", "at", 'call' as "kind", "call_id" as "id" from "ledger" where "seq" > ? order by "seq" limit ?`;
const eventsSql = `select "seq", "at", "kind", "id" from "event" where "seq" > ? order by "seq" limit ?`;

/** Whether events after a cursor were deleted, as those of more than a day ago are. */
const gapSql = `select 1 from (select min("seq") as "first" from "event") where "first" > ? + 1`;

/** What changes in a store, in whatever process. */
export class StoreEvents {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  findEnd(): EventCursor {
    const { ledger, event } = this.#db.prepare(endSql).get() as EventCursor;
    return { ledger, event };
  }

  /** The events after a cursor, the oldest first; waits until there is one. */
  async next(after: EventCursor, signal: AbortSignal): Promise<RecordEvents> {
    let seen: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      // The version is read first, so that a change in between is looked for again.
      const version = this.#readVersion();
      if (version !== seen) {
        seen = version;
        const events = this.#read(after);
        if (events.length > 0)
          return { events, ...(this.#isGap(after) && { isGap: true }), cursor: advanceCursor(after, events) };
      }
      await pause(this.#clock, lookMs, signal);
    }
  }

  /**
   * The events that {@link next} gives, the latest of each thing that changed. Whoever is more than 5,000 events behind is
   * given a gap up to the newest instead.
   */
  async nextLatest(after: EventCursor, signal: AbortSignal): Promise<RecordEvents> {
    const end = this.findEnd();
    const behind = end.ledger - after.ledger + (end.event - after.event);
    if (behind > mostBehind) return { events: [], isGap: true, cursor: end };
    const { events, ...rest } = await this.next(after, signal);
    const latest = new Map(events.map((event) => [`${event.kind} ${event.id}`, event]));
    return { ...rest, events: [...latest.values()] };
  }

  #readVersion(): number {
    return (this.#db.prepare("pragma data_version").get() as { readonly data_version: number }).data_version;
  }

  #isGap({ event }: EventCursor): boolean {
    return this.#db.prepare(gapSql).get(event) !== undefined;
  }

  #read({ ledger, event }: EventCursor): readonly RecordEvent[] {
    const calls = this.#db.prepare(callsSql).all(ledger, mostEvents) as RecordEvent[];
    const others = this.#db.prepare(eventsSql).all(event, mostEvents) as RecordEvent[];
    return [...calls, ...others].map((row) => ({ ...row })).sort((one, other) => one.at - other.at);
  }
}

/** The place after some events. */
function advanceCursor(cursor: EventCursor, events: readonly RecordEvent[]): EventCursor {
  let { ledger, event } = cursor;
  for (const { kind, seq } of events) {
    if (kind === "call") ledger = Math.max(ledger, seq);
    else event = Math.max(event, seq);
  }
  return { ledger, event };
}
