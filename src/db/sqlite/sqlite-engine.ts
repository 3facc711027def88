import { sql } from "kysely";
import type { Engine } from "../migration.ts";

/** How SQLite writes what engines write differently. */
export const sqliteEngine: Engine = {
  bytes: "blob",
  integer: "integer",
  real: "real",
  createTable: (schema, name, { clustered = false } = {}) =>
    schema.createTable(name).modifyEnd(clustered ? sql`strict, without rowid` : sql`strict`),
  counter: (column) => column.primaryKey().autoIncrement(),
  appendOnly: (table) =>
    ["update", "delete"].map(
      (action) =>
        `create trigger "${table}_no_${action}" before ${action} on "${table}" begin select raise(abort, 'the ${table} is append-only'); end`,
    ),
  allowErasing: (table, { where, erased, kept }) => {
    const conditions = [
      `old."${where}" is not null`,
      ...erased.map((column) => `new."${column}" is null`),
      ...kept.map((column) => `new."${column}" is old."${column}"`),
    ];
    return [
      `drop trigger "${table}_no_update"`,
      `create trigger "${table}_no_update" before update on "${table}" when not (${conditions.join(" and ")}) begin select raise(abort, 'the ${table} is append-only'); end`,
    ];
  },
};
