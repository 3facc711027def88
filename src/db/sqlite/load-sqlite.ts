import type * as Sqlite from "node:sqlite";
import { lazy } from "../../base/index.ts";

/** Loads Node's SQLite once, without the warning about its being experimental that Node 22 prints. */
export const loadSqlite: () => Promise<typeof Sqlite> = lazy(async () => {
  const show = process.emitWarning.bind(process) as (...warning: unknown[]) => void;
  process.emitWarning = (...warning: unknown[]) => {
    if (!String(warning[0]).startsWith("SQLite is an experimental feature")) show(...warning);
  };
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = show;
  }
});
