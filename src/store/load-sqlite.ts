let loading: Promise<typeof import("node:sqlite")> | undefined;

/** Loads Node's SQLite once, without the warning about its being experimental that Node 22 prints. */
export function loadSqlite(): Promise<typeof import("node:sqlite")> {
  loading ??= loadQuietly();
  return loading;
}

async function loadQuietly(): Promise<typeof import("node:sqlite")> {
  const { emitWarning } = process;
  process.emitWarning = (...warning: unknown[]) => {
    if (!/^SQLite is an experimental feature/.test(String(warning[0])))
      Reflect.apply(emitWarning, process, warning);
  };
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
