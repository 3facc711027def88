import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** The synchronous functions of `node:fs` that look at the disk, by name. */
type SyncName = Extract<keyof typeof fs, `${string}Sync`>;

/** Counts the synchronous calls of `node:fs` that `work` makes, by function. `realpathSync.native` counts as `realpathSync`. */
export async function countFileCalls(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const names = Object.keys(fs).filter(
    (name): name is SyncName => name.endsWith("Sync") && typeof fs[name as SyncName] === "function",
  );
  const originals = names.map((name) => [name, fs[name]] as const);
  for (const [name, original] of originals) replace(name, count(name, original, counts));
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const [name, original] of originals) replace(name, original);
    syncBuiltinESMExports();
  }
  return counts;
}

function replace(name: SyncName, value: unknown): void {
  Object.assign(fs, { [name]: value });
}

/** The function, with each call of it and of the functions that it holds counted. */
function count<Fn extends object>(name: string, original: Fn, counts: Record<string, number>): Fn {
  return new Proxy(original, {
    apply(target, self, args) {
      counts[name] = (counts[name] ?? 0) + 1;
      return Reflect.apply(target as unknown as (...args: unknown[]) => unknown, self, args);
    },
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      return key === "native" && typeof member === "function" ? count(name, member, counts) : member;
    },
  });
}
