import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Calls of the synchronous file functions, by name, with the first argument of each. */
export type FileCalls = Map<string, unknown[]>;

type AnyFunction = (...args: unknown[]) => unknown;

/** Runs `action` and tells which synchronous functions of `node:fs` were called meanwhile, in this thread. */
export async function countFileCalls(action: () => unknown): Promise<FileCalls> {
  const calls: FileCalls = new Map();
  const functions = fs as unknown as Record<string, AnyFunction>;
  const originals = Object.entries(functions).filter(
    ([name, value]) => name.endsWith("Sync") && typeof value === "function",
  );
  for (const [name, original] of originals) {
    const counted: AnyFunction = (...args) => {
      const known = calls.get(name) ?? [];
      calls.set(name, [...known, args[0]]);
      return original(...args);
    };
    functions[name] = Object.assign(counted, original);
  }
  syncBuiltinESMExports();
  try {
    await action();
  } finally {
    for (const [name, original] of originals) functions[name] = original;
    syncBuiltinESMExports();
  }
  return calls;
}
