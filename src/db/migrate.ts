import type { Migration } from "./migration.ts";
import type { SqliteConnection } from "./sqlite/sqlite-connection.ts";
import { kyselyOver } from "./sqlite/sqlite-driver.ts";
import { sqliteEngine } from "./sqlite/sqlite-engine.ts";

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** The newest schema; tests stop short of it to make the stores of earlier versions. */
  readonly targetVersion: number;
  /** Marks the file as a store. */
  readonly applicationId: number;
  readonly now: number;
}

/**
 * Applies what is missing, in one transaction: whatever happens, a store is at one version or the other. A second
 * process that does the same at the same time waits for it, and finds it done.
 */
export async function migrate(connection: SqliteConnection, options: MigrateOptions): Promise<void> {
  const { schema } = kyselyOver(connection);
  await connection.transact("migrate", () => {
    connection.exec(`pragma application_id = ${options.applicationId}`);
    connection.exec(
      "create table if not exists schema_version (version integer primary key, name text not null, applied_at integer not null) strict",
    );
    const applied = connection.prepare("select 1 from schema_version where version = ?");
    const apply = connection.prepare(
      "insert into schema_version (version, name, applied_at) values (?, ?, ?)",
    );
    for (const { version, name, statements } of options.migrations) {
      if (version > options.targetVersion || applied.get(version) !== undefined) continue;
      for (const statement of statements(schema, sqliteEngine)) connection.exec(statement);
      apply.run(version, name, options.now);
    }
  });
}
