import { closeSync, existsSync, fsyncSync, openSync, writeSync } from "node:fs";
import { StoreError } from "./errors.ts";

/** The file beside a database which says that a store was made there: an empty database is then no new one. */
function markOf(path: string): string {
  return `${path}-made`;
}

/** Leaves the mark that a store was made here, unless it is there. */
export function leaveMark(path: string): void {
  if (existsSync(markOf(path))) return;
  const file = openSync(markOf(path), "w", 0o600);
  try {
    writeSync(file, "A store of haft was made here. Without its database, haft asks for a copy of that.\n");
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Refuses to begin anew where a store was.
 *
 * @param size of the database in bytes; undefined where there is none
 * @throws {StoreError} STORE_CORRUPT
 */
export function refuseLost(path: string, size: number | undefined): void {
  if ((size ?? 0) > 0 || !existsSync(markOf(path))) return;
  const state = size === undefined ? "its file is gone" : "its file is empty";
  throw new StoreError(
    "STORE_CORRUPT",
    `Cannot open the store "${path}": ${state}, although a store was made here; bring a backup back with \`haft restore FILE\`, or put the newest copy of "${path}-copies" in its place; to begin with nothing, remove "${markOf(path)}"`,
  );
}
