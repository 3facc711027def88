import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode, getErrorMessage } from "../base/index.ts";
import { StoreError, type StoreErrorCode } from "./errors.ts";

const sqliteCodes: Readonly<Record<number, StoreErrorCode>> = {
  5: "STORE_BUSY",
  6: "STORE_BUSY",
  8: "STORE_READ_ONLY",
  10: "STORE_IO",
  11: "STORE_CORRUPT",
  13: "STORE_FULL",
  14: "STORE_UNAVAILABLE",
  26: "STORE_CORRUPT",
};

const systemCodes: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: "STORE_FULL",
  EDQUOT: "STORE_FULL",
  EROFS: "STORE_READ_ONLY",
  EACCES: "STORE_READ_ONLY",
  EPERM: "STORE_READ_ONLY",
  EIO: "STORE_IO",
  ENOENT: "STORE_UNAVAILABLE",
  ENOTDIR: "STORE_UNAVAILABLE",
  EISDIR: "STORE_UNAVAILABLE",
  EEXIST: "STORE_UNAVAILABLE",
  ELOOP: "STORE_UNAVAILABLE",
  ENAMETOOLONG: "STORE_UNAVAILABLE",
  EMFILE: "STORE_UNAVAILABLE",
  ENFILE: "STORE_UNAVAILABLE",
};

const remedies: Readonly<Partial<Record<StoreErrorCode, string>>> = {
  STORE_UNAVAILABLE: "see that the path is a file in a folder that this user may enter",
  STORE_READ_ONLY: "make the file and its folder writable for this user, or choose another path",
  STORE_CORRUPT:
    'stop haft, keep the file, and restore a copy of it or recover it with `sqlite3 FILE ".recover"`',
  STORE_FULL: "free some space: nothing that was stored is lost, and the next call tries again",
  STORE_BUSY: "another process holds it; try again, or end that process",
  STORE_IO: "see that the disk is sound, then start haft again",
};

/** Puts what the database engine or the file system threw into the store's own words. A {@link StoreError} stays as it is. */
export function toStoreError(thrown: unknown, action: "open" | "read" | "write", path: string): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const met = toStoreCode(thrown);
  const code = maybeFull.has(met) && hasNoRoom(path) ? "STORE_FULL" : met;
  const remedy = remedies[code];
  const what = code === "STORE_FULL" ? "the disk that holds it is full" : getErrorMessage(thrown);
  const state = `${what}${remedy === undefined ? "" : `; ${remedy}`}`;
  return new StoreError(code, `Cannot ${action} the store "${path}": ${state}`, { cause: thrown });
}

/** Error codes that a full disk can cause without being named as the reason. */
const maybeFull: ReadonlySet<StoreErrorCode> = new Set(["STORE_IO", "STORE_UNAVAILABLE", "STORE_FAILED"]);

/** Free space below which a file system counts as full. */
const leastBytes = 16_384;

function hasNoRoom(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return bavail * bsize < leastBytes || (files > 0 && ffree === 0);
  } catch {
    return false; // Its folder is not there: that is the fault.
  }
}

/** True if another connection holds the lock that was asked for. */
export function isBusy(thrown: unknown): boolean {
  return toStoreCode(thrown) === "STORE_BUSY";
}

/** True if reading or writing the file failed. */
export function isFault(thrown: unknown): boolean {
  return toStoreCode(thrown) === "STORE_IO";
}

export function isFull(thrown: unknown): boolean {
  return toStoreCode(thrown) === "STORE_FULL";
}

function toStoreCode(thrown: unknown): StoreErrorCode {
  if (thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number") {
    // The low byte is the kind of fault, the rest its circumstances.
    return sqliteCodes[thrown.errcode & 0xff] ?? "STORE_FAILED";
  }
  return systemCodes[getErrorCode(thrown) ?? ""] ?? "STORE_FAILED";
}
