import { isRecord } from "../../base/index.ts";
import type { ChainHead } from "../../store/index.ts";

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
  const { store, files } = value;
  if (!isRecord(store) || typeof store["path"] !== "string" || !Array.isArray(files)) return undefined;
  return value as unknown as BackupManifest;
}

/** Whether a path from an archive stays within the folder that the archive is unpacked into. */
export function staysWithin(path: string): boolean {
  return (
    path !== "" &&
    !/^[/\\]|^[A-Za-z]:|\\|\0/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}
