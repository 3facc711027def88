import { closeSync, existsSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { StoreError } from "./errors.ts";

/** Path of the file that marks a store as created, so that an empty database is not taken for a new one. */
function toMarkPath(path: string): string {
  return `${path}-made`;
}

/** Writes the mark that a store was created here, unless it exists. */
export function leaveMark(path: string): void {
  if (existsSync(toMarkPath(path))) return;
  const file = openSync(toMarkPath(path), "w", 0o600);
  try {
    writeSync(file, "A store of haft was made here. Without its database, haft asks for a copy of that.\n");
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Throws if a store was created here before but its database is empty or gone. The mark is looked for first: it comes
 * after the tables, so another process that creates the store meanwhile is not taken for a loss.
 *
 * @throws {StoreError} STORE_CORRUPT
 */
export function refuseLost(path: string): void {
  if (!existsSync(toMarkPath(path))) return;
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  const state = size === undefined ? "its file is gone" : "its file is empty";
  throw new StoreError(
    "STORE_CORRUPT",
    `Cannot open the store "${path}": ${state}, although a store was made here; bring a backup back with \`haft restore FILE\`, or put the newest copy of "${path}-copies" in its place; to begin with nothing, remove "${toMarkPath(path)}"`,
  );
}
