import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { randomId } from "../../../db/index.ts";
import type { Watcher } from "./approval-store.ts";
import type { Tables } from "./tables.ts";

/** Time after which a watcher that does not renew its row counts as gone, as its process may have been killed. */
const leaseMs = 15_000;
const renewMs = 5_000;

/** The people who watch stored questions, in any process, as one row each that has to be renewed. */
export class WatcherRows {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;

  constructor(db: TypedDatabase<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Adds a watcher; the returned function removes it. */
  async add({ kind, identity }: Watcher): Promise<() => Promise<void>> {
    const id = randomId("w", 10);
    const clock = this.#clock;
    await this.#db.write(async (tx) => {
      const now = clock.now();
      await tx.deleteFrom("watcher").where("until", "<=", now).execute();
      await tx
        .insertInto("watcher")
        .values({ id, kind, identity, until: now + leaseMs })
        .execute();
    });
    let endTimer = () => {};
    let renewing: Promise<unknown> = Promise.resolve();
    const plan = () => {
      endTimer = clock.after(renewMs, () => {
        // A renewal that fails is made up for by the next one, or the watcher is taken to be gone.
        renewing = this.#renew(id).catch(() => {});
        plan();
      });
    };
    plan();
    return async () => {
      endTimer();
      await renewing;
      await this.#db.write((tx) => tx.deleteFrom("watcher").where("id", "=", id).execute());
    };
  }

  async identities(): Promise<readonly string[]> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("watcher")
      .select("identity")
      .where("until", ">", this.#clock.now())
      .execute();
    return rows.map(({ identity }) => identity);
  }

  #renew(id: string): Promise<unknown> {
    const until = this.#clock.now() + leaseMs;
    return this.#db.write((tx) => tx.updateTable("watcher").set({ until }).where("id", "=", id).execute());
  }
}
