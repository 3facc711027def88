import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { StatementValue } from "../database.ts";
import { toStoreError } from "../faults.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Kysely over the store's one connection. Its transactions take the write lock as they begin. */
export function kyselyOver<Known>(connection: SqliteConnection): Kysely<Known> {
  return new Kysely<Known>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new SqliteDriver(connection),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #queries: QueryConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#queries = new QueryConnection(connection);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#connection.enter("queries");
    return this.#queries;
  }

  async releaseConnection(): Promise<void> {
    this.#connection.leave();
  }

  async beginTransaction(): Promise<void> {
    await inStoreWords(this.#connection, () => this.#connection.begin());
  }

  async commitTransaction(): Promise<void> {
    await inStoreWords(this.#connection, () => this.#connection.commit());
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback();
  }

  async destroy(): Promise<void> {}
}

class QueryConnection implements DatabaseConnection {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return inStoreWords(this.#connection, () => {
      const done = this.#connection.prepareQuery(sql).run(parameters.map(toStatementValue));
      if ("rows" in done) return { rows: done.rows as Row[] };
      const { changes, lastInsertRowid } = done;
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    });
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }
}

async function inStoreWords<T>(connection: SqliteConnection, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    throw toStoreError(thrown, "write", connection.path);
  }
}

function toStatementValue(value: unknown): StatementValue {
  if (value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  return value as StatementValue;
}
