import { isRecord } from "../../base/index.ts";
import type { ChainHead } from "../../store/index.ts";

/** One file of a backup, as it was written. */
export interface BackedUpFile {
  /** In the archive. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** What a backup says of itself; the last file in it. */
export interface BackupManifest {
  readonly format: 1;
  /** Of haft. */
  readonly version: string;
  /** Unix ms. */
  readonly madeAt: number;
  readonly store: {
    /** In the archive. */
    readonly path: string;
    /** Where it was, where that was outside haft's own folder. */
    readonly place?: string;
    /** Of its tables. */
    readonly version: number;
    readonly head: ChainHead;
  };
  readonly files: readonly BackedUpFile[];
}

export const manifestName = "manifest.json";
/** The part of the archive that is haft's own folder. */
export const homePart = "home/";

/** Undefined for what is no manifest of a form that is known. */
export function readManifest(value: unknown): BackupManifest | undefined {
  if (!isRecord(value) || value["format"] !== 1) return undefined;
  const { store, files } = value;
  if (!isRecord(store) || typeof store["path"] !== "string" || !Array.isArray(files)) return undefined;
  return value as unknown as BackupManifest;
}

/** Whether a path of an archive stays within the folder that it is put into. */
export function staysWithin(path: string): boolean {
  return (
    path !== "" &&
    !/^[/\\]|^[A-Za-z]:|\\|\0/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}
