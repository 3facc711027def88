import { type Clock, parseJson } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { noteEvents } from "../../events/index.ts";
import type { Tables } from "./tables.ts";

/** Cancels a call of this process. @param by who asked for it, in another process */
export type OnCancel = (callId: string, by: string) => void;

/** How often requests are looked for while calls run. */
const lookMs = 500;

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

  /** Called before this process makes its first call: requests of before are for calls of others. */
  begin(): void {
    if (this.#onCancel !== undefined) this.#seen = this.#readLast();
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
    for (const { callId, by } of this.#read()) if (this.#open.has(callId)) this.#onCancel?.(callId, by);
  }

  #read(): readonly CancelRequest[] {
    try {
      const last = this.#readLast();
      const rows = this.#db.prepare(findSql).all(this.#seen) as {
        readonly seq: number;
        readonly id: string;
      }[];
      this.#seen = Math.max(last, rows.at(-1)?.seq ?? 0);
      return rows.flatMap(({ id }) => toRequest(id));
    } catch {
      // A timer has nobody to tell that the store can't be read; the calls themselves have. It is read again soon.
      return [];
    }
  }

  #readLast(): number {
    return (this.#db.prepare(lastSql).get() as { readonly seq: number }).seq;
  }
}

interface CancelRequest {
  readonly callId: string;
  readonly by: string;
}

/** The request of an event; none if another version of haft, or anybody else, wrote it in another form. */
function toRequest(id: string): readonly CancelRequest[] {
  const parsed = parseJson(id);
  const [callId, by]: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  return typeof callId === "string" && typeof by === "string" ? [{ callId, by }] : [];
}
