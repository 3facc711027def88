import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface TreeSize {
  readonly files: number;
  readonly bytes: number;
}

/** Counts what lies below a folder; links count as themselves. */
export function measureTree(path: string, signal: AbortSignal): TreeSize {
  let files = 0;
  let bytes = 0;
  const pending = [path];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    signal.throwIfAborted();
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "utf8" })) {
      const full = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(full);
      else {
        files++;
        bytes += lstatSync(full, { throwIfNoEntry: false })?.size ?? 0;
      }
    }
  }
  return { files, bytes };
}
