import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { noteEvents } from "../../events/index.ts";
import type { Tables } from "./tables.ts";

/** Cancels a call of this process. @param by who asked for it, in another process */
export type OnCancel = (callId: string, by: string) => void;

/** How often requests are looked for while calls run. */
const lookMs = 500;
/** Events that are looked through the first time: a request may have come before. */
const firstEvents = 1000;

const findSql = `select "seq", "id" from "event" where "seq" > ? and "kind" = 'cancel' order by "seq"`;
const lastSql = 'select coalesce(max("seq"), 0) as "seq" from "event"';

/**
 * Requests to cancel calls of other processes on the same store. A request is an event of the store; the process that
 * makes the call looks for them as long as it has calls under way, and at no other time.
 */
export class CancelRequests {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #onCancel: OnCancel | undefined;
  /** Calls of this process that are under way. */
  readonly #open: ReadonlyMap<string, unknown>;
  /** The last event that was looked at. */
  #seen = 0;
  #stop: (() => void) | undefined;

  constructor(
    db: TypedDatabase<Tables>,
    options: {
      readonly clock: Clock;
      readonly open: ReadonlyMap<string, unknown>;
      readonly onCancel: OnCancel | undefined;
    },
  ) {
    this.#db = db;
    this.#clock = options.clock;
    this.#open = options.open;
    this.#onCancel = options.onCancel;
  }

  /** Asks the process that makes a call to cancel it. */
  async request(callId: string, by: string): Promise<void> {
    const id = JSON.stringify([callId, by]);
    await this.#db.write((tx) => noteEvents(tx, "cancel", [id], this.#clock.now()));
  }

  /** Begins to look for requests if calls are under way, and ends it if none are. */
  follow(): void {
    if (this.#open.size === 0 || this.#onCancel === undefined) return this.close();
    this.#stop ??= this.#clock.after(lookMs, () => {
      this.#stop = undefined;
      this.#look();
      this.follow();
    });
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #look(): void {
    const { seq: last } = this.#db.prepare(lastSql).get() as { readonly seq: number };
    const found = this.#db.prepare(findSql).all(Math.max(this.#seen, last - firstEvents)) as {
      readonly seq: number;
      readonly id: string;
    }[];
    this.#seen = Math.max(last, found.at(-1)?.seq ?? 0);
    for (const { id } of found) {
      const [callId, by] = JSON.parse(id) as [callId: string, by: string];
      if (this.#open.has(callId)) this.#onCancel?.(callId, by);
    }
  }
}
