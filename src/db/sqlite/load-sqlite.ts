import type * as Sqlite from "node:sqlite";

let loading: Promise<typeof Sqlite> | undefined;

/** Loads Node's SQLite once, without the warning about its being experimental that Node 22 prints. */
export function loadSqlite(): Promise<typeof Sqlite> {
  loading ??= loadQuietly();
  return loading;
}

async function loadQuietly(): Promise<typeof Sqlite> {
  const show = process.emitWarning.bind(process) as (...warning: unknown[]) => void;
  process.emitWarning = (...warning: unknown[]) => {
    if (!String(warning[0]).startsWith("SQLite is an experimental feature")) show(...warning);
  };
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = show;
  }
}
