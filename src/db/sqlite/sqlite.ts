import type { Kysely, Transaction } from "kysely";
import { type Clock, getErrorMessage, type MaybePromise } from "../../base/index.ts";
import type { Database, ProcessLocks, Statement, WriteOptions } from "../database.ts";
import { StoreError } from "../errors.ts";
import { isBusy, isFault, toStoreError } from "../faults.ts";
import { leaveMark } from "../made-mark.ts";
import type { Schema } from "../migration.ts";
import { FileLocks, FreeLocks } from "./file-locks.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { prepareFile } from "./sqlite-file.ts";

export const inMemory = ":memory:";

/** How much a resolved write survives: `normal` the end of the process, `full` the loss of power too. */
export type Durability = "normal" | "full";

export interface SqliteOptions {
  readonly path: string;
  readonly schema: Schema;
  readonly durability: Durability;
  readonly busyTimeoutMs: number;
  readonly clock: Clock;
}

/** Pages of the log, 16 MB, before it is emptied into the database. That syncs the disk twice: more often, and it tells. */
const checkpointPages = 4000;
/** Marks a file as ours: `haft` in ASCII. */
export const applicationId = 0x68616674;

/** Opens the file, creates it if need be, and brings its tables up to date. Loads Kysely only for the last. */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const { path, schema } = options;
  let connection: SqliteConnection | undefined;
  try {
    if (path !== inMemory) prepareFile(path);
    const { DatabaseSync } = await loadSqlite();
    connection = new SqliteConnection(new DatabaseSync(path), options);
    await configure(connection, options.durability);
    const version = readVersion(connection);
    if (version > schema.version) throw newerThanWeKnow(path, version, schema.version);
    if (version < schema.version) {
      if (version > 0 && path !== inMemory) {
        const { keepCopy } = await import("../copy-store.ts");
        await keepCopy(path, { version, now: options.clock.now() });
      }
      const { migrate } = await import("../migrate.ts");
      const [targetVersion, migrations] = [schema.version, await schema.migrations()];
      await migrate(connection, { migrations, targetVersion, applicationId, now: options.clock.now() });
    }
    refuseUnfinished(connection, schema);
    if (path !== inMemory) leaveMark(path);
    const locks =
      path === inMemory ? new FreeLocks() : new FileLocks(`${path}-runs`, (file) => new DatabaseSync(file));
    return new SqliteDatabase(connection, options.durability, locks);
  } catch (thrown) {
    connection?.close();
    throw toStoreError(thrown, "open", path);
  }
}

/**
 * Opens a store that another connection has brought up to date, for reading alone: what would change it fails. Reading
 * never waits for a write, nor a write for it.
 */
export async function openSqliteReader(
  options: Omit<SqliteOptions, "schema" | "durability">,
): Promise<Database> {
  try {
    const { DatabaseSync } = await loadSqlite();
    const connection = new SqliteConnection(new DatabaseSync(options.path, { readOnly: true }), options);
    connection.exec("pragma busy_timeout = 1000; pragma trusted_schema = off; pragma query_only = on");
    return new SqliteDatabase(connection, "normal", new FreeLocks());
  } catch (thrown) {
    throw toStoreError(thrown, "open", options.path);
  }
}

/** How often reading a file that another process may be making is tried again: about a second in all. */
const mostFaults = 25;

/**
 * Two processes that open a new file at once both want to make it a WAL file: one has to wait, and what it reads
 * meanwhile may fail as on a disk that is not sound.
 */
async function configure(connection: SqliteConnection, durability: Durability): Promise<void> {
  connection.exec("pragma busy_timeout = 20");
  let faults = 0;
  await connection.untilFree(
    () => {
      refuseForeign(connection);
      connection.exec("pragma journal_mode = wal");
    },
    (thrown) => isBusy(thrown) || (isFault(thrown) && ++faults <= mostFaults),
  );
  // What is deleted is overwritten, so that what was erased can't be found in the file.
  connection.exec(
    `pragma synchronous = ${durability}; pragma wal_autocheckpoint = ${checkpointPages}; pragma trusted_schema = off; pragma secure_delete = on; pragma journal_size_limit = 67108864`,
  );
}

/** Another program's database is left as it is: no table of ours goes into it. */
function refuseForeign(connection: SqliteConnection): void {
  const { application_id: owner } = connection.prepare("pragma application_id").get() as {
    application_id: number;
  };
  if (owner === applicationId) return;
  if (connection.prepare("select 1 from sqlite_schema limit 1").get() === undefined && owner === 0) return;
  throw new StoreError(
    "STORE_FOREIGN",
    `Cannot open the store "${connection.path}": it is the database of another program; choose another path`,
  );
}

function readVersion(connection: SqliteConnection): number {
  const table = "select 1 from sqlite_schema where type = 'table' and name = 'schema_version'";
  if (connection.prepare(table).get() === undefined) return 0;
  const row = connection.prepare("select coalesce(max(version), 0) as version from schema_version").get();
  return (row as { version: number }).version;
}

function refuseUnfinished(connection: SqliteConnection, { probes }: Schema): void {
  for (const probe of probes) {
    try {
      connection.prepare(probe);
    } catch (cause) {
      throw new StoreError(
        "STORE_FOREIGN",
        `Cannot open the store "${connection.path}": a development version of haft made it, and its tables lack columns (${getErrorMessage(cause)}); move the file away with those named after it, and a new one is made`,
        { cause },
      );
    }
  }
}

function newerThanWeKnow(path: string, version: number, known: number): StoreError {
  return new StoreError(
    "STORE_NEWER",
    `Cannot open the store "${path}": its tables have version ${version} and this haft knows ${known}; update haft, or choose another path`,
    { details: { version, known } },
  );
}

/** The table that says which migrations were applied. */
interface OwnTables {
  readonly schema_version: { readonly version: number; readonly applied_at: number };
}

class SqliteDatabase implements Database {
  readonly path: string;
  readonly locks: ProcessLocks;
  readonly #connection: SqliteConnection;
  readonly #durability: Durability;
  #kysely: Promise<Kysely<unknown>> | undefined;
  #writes = 0;

  constructor(connection: SqliteConnection, durability: Durability, locks: ProcessLocks) {
    this.path = connection.path;
    this.locks = locks;
    this.#connection = connection;
    this.#durability = durability;
  }

  queries<Known>(): Promise<Kysely<Known>> {
    this.#kysely ??= import("./sqlite-driver.ts").then(({ kyselyOver }) => kyselyOver(this.#connection));
    return this.#kysely as Promise<Kysely<Known>>;
  }

  async write<T, Known>(
    change: (tx: Transaction<Known>) => Promise<T>,
    { durability = this.#durability }: WriteOptions = {},
  ): Promise<T> {
    const kysely = await this.queries<Known>();
    const work = (tx: Transaction<Known>) => {
      this.#writes++;
      return change(tx);
    };
    if (durability === this.#durability) return kysely.transaction().execute(work);
    return kysely.connection().execute(async (mine) => {
      this.#sync(durability);
      try {
        return await mine.transaction().execute(work);
      } finally {
        this.#sync(this.#durability);
      }
    });
  }

  /** A commit that is synced takes with it all that came before. One that changes nothing would not be. */
  async persist(): Promise<void> {
    if (this.#durability === "full" || this.path === inMemory) return;
    await this.write(
      (tx: Transaction<OwnTables>) =>
        tx
          .updateTable("schema_version")
          .set((row) => ({ applied_at: row.ref("applied_at") }))
          .where("version", "=", 1)
          .execute(),
      { durability: "full" },
    );
  }

  /** Asked in its turn: a change that is being made is counted before anybody else reads. */
  async changeMark(): Promise<string> {
    await this.#connection.enter("queries");
    try {
      const row = this.#connection.prepare("pragma data_version").get() as { data_version: number };
      return `${row.data_version} ${this.#writes}`;
    } catch (thrown) {
      throw toStoreError(thrown, "read", this.path);
    } finally {
      this.#connection.leave();
    }
  }

  prepare(text: string): Statement {
    return this.#connection.prepare(text);
  }

  transact(caller: string, work: () => void): MaybePromise<void> {
    if (this.#connection.tryTransact(work)) return;
    return this.#connection.transact(caller, work);
  }

  async check(): Promise<readonly string[]> {
    await this.#connection.enter("check");
    try {
      const rows = this.#connection.prepare("pragma quick_check(20)").all() as { quick_check: string }[];
      return rows.map((row) => row.quick_check).filter((line) => line !== "ok");
    } catch (thrown) {
      const error = toStoreError(thrown, "read", this.path);
      if (error.code === "STORE_CORRUPT") return [error.message];
      throw error;
    } finally {
      this.#connection.leave();
    }
  }

  async close(): Promise<void> {
    await this.#connection.enter("close");
    try {
      this.#connection.close();
    } finally {
      this.#connection.leave();
    }
  }

  /** Holds for the commits that follow. It can't change within a transaction, and takes effect as it is compiled. */
  #sync(durability: Durability): void {
    try {
      this.#connection.exec(`pragma synchronous = ${durability}`);
    } catch (thrown) {
      throw toStoreError(thrown, "write", this.path);
    }
  }
}
