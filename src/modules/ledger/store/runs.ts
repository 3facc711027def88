import type { MaybePromise } from "../../../base/index.ts";
import { type TypedDatabase, toStoreError } from "../../../db/index.ts";
import type { RunRow, Tables } from "./tables.ts";

export interface DeadRun {
  readonly id: string;
  /** No row of the run comes before it. */
  readonly firstSeq: number;
}

/**
 * Which processes are at work on this database. A run is recorded when its process makes its first call and is
 * alive for as long as that process holds its lock, which the operating system takes back however it dies. The
 * statements are written out, so that recording a call does not have to load Kysely.
 */
export class Runs {
  readonly #db: TypedDatabase<Tables>;

  constructor(db: TypedDatabase<Tables>) {
    this.#db = db;
  }

  /** Locks first, so that a run which others can see is a run they can tell to be alive. */
  async begin(id: string, at: number): Promise<void> {
    try {
      this.#db.locks.take(id);
    } catch (thrown) {
      throw toStoreError(thrown, "write", this.#db.path);
    }
    await this.#db.transact("runs", () => {
      this.#db
        .prepare("insert into run (id, first_seq, started_at) select ?, seq + 1, ? from ledger_head")
        .run(id, at);
    });
  }

  /** Ends a run of this process. `settled` false: some of its calls never ended, and the next to open says so. */
  async end(id: string, settled: boolean): Promise<void> {
    try {
      if (settled) await this.#delete(id);
    } finally {
      this.#db.locks.release(id, { remove: settled });
    }
  }

  /** The runs whose process is gone. Each is locked until it is given to `release`, whether or not it is forgotten. */
  takeDead(): readonly DeadRun[] {
    const { locks } = this.#db;
    const rows = this.#db.prepare("select id, first_seq from run order by first_seq").all() as Pick<
      RunRow,
      "id" | "first_seq"
    >[];
    return rows
      .filter(({ id }) => !locks.has(id) && locks.take(id))
      .map(({ id, first_seq }) => ({ id, firstSeq: first_seq }));
  }

  async forget(run: DeadRun): Promise<void> {
    await this.#delete(run.id);
    this.#db.locks.release(run.id, { remove: true });
  }

  release(run: DeadRun): void {
    this.#db.locks.release(run.id, { remove: false });
  }

  #delete(id: string): MaybePromise<void> {
    return this.#db.transact("runs", () => {
      this.#db.prepare("delete from run where id = ?").run(id);
    });
  }
}
