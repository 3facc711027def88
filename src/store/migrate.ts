import { migrations } from "./migrations/index.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { kyselyOver } from "./sqlite-driver.ts";
import { sqliteEngine } from "./sqlite-engine.ts";

export interface MigrateOptions {
  /** The newest schema; tests stop short of it to make the stores of earlier versions. */
  readonly targetVersion: number;
  /** Marks the file as a store. */
  readonly applicationId: number;
  readonly now: number;
}

/**
 * Applies what is missing, each migration in a transaction of its own. A second process that does the same at the
 * same time waits for each transaction and finds it done.
 */
export async function migrate(connection: SqliteConnection, options: MigrateOptions): Promise<void> {
  const { schema } = kyselyOver(connection);
  for (const migration of migrations) {
    if (migration.version > options.targetVersion) return;
    const statements = migration.statements(schema, sqliteEngine);
    await connection.transact("migrate", () => {
      connection.exec(`pragma application_id = ${options.applicationId}`);
      connection.exec(
        "create table if not exists schema_version (version integer primary key, name text not null, applied_at integer not null) strict",
      );
      if (
        connection.prepare("select 1 from schema_version where version = ?").get(migration.version) !==
        undefined
      )
        return;
      for (const statement of statements) connection.exec(statement);
      connection
        .prepare("insert into schema_version (version, name, applied_at) values (?, ?, ?)")
        .run(migration.version, migration.name, options.now);
    });
  }
}
