import { isAbsolute } from "node:path";
import { isRecord } from "../../base/index.ts";
import type { ChainHead } from "../../modules/ledger/index.ts";

/** One file of a backup, as it was written. */
export interface BackedUpFile {
  /** Path in the archive. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** Description of a backup; it is the last file of the archive. */
export interface BackupManifest {
  readonly format: 1;
  /** Version of haft that made the backup. */
  readonly version: string;
  /** Unix ms. */
  readonly madeAt: number;
  readonly store: {
    /** Path in the archive. */
    readonly path: string;
    /** Original path, if the database was outside haft's own folder. */
    readonly place?: string;
    /** Schema version of the database. */
    readonly version: number;
    readonly head: ChainHead;
  };
  readonly files: readonly BackedUpFile[];
}

export const manifestName = "manifest.json";
/** The part of the archive that is haft's own folder. */
export const homePart = "home/";

/** Parses a manifest; undefined if the value is not one of a known format. */
export function readManifest(value: unknown): BackupManifest | undefined {
  if (!isRecord(value) || value["format"] !== 1) return undefined;
  const { store, files, version, madeAt } = value;
  if (!isRecord(store) || typeof version !== "string" || !isTime(madeAt)) return undefined;
  if (!Array.isArray(files) || !files.every(isFile)) return undefined;
  const { path, place, head } = store;
  if (typeof path !== "string" || !files.some((file) => file.path === path)) return undefined;
  const isElsewhere = typeof place === "string" && isAbsolute(place);
  if (!isElsewhere && (place !== undefined || !path.startsWith(homePart))) return undefined;
  if (!isRecord(head) || typeof head["seq"] !== "number" || typeof head["hash"] !== "string")
    return undefined;
  return value as unknown as BackupManifest;
}

function isFile(value: unknown): value is BackedUpFile {
  if (!isRecord(value)) return false;
  const { path, bytes, hash } = value;
  return (
    typeof path === "string" && staysWithin(path) && typeof bytes === "number" && typeof hash === "string"
  );
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && !Number.isNaN(new Date(value).getTime());
}

/** Whether a path from an archive stays within the folder that the archive is unpacked into. */
export function staysWithin(path: string): boolean {
  return (
    path !== "" &&
    !/^[/\\]|^[A-Za-z]:|\\|\0/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}
