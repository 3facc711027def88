import type { BigIntStats } from "node:fs";

/** What a name in a folder stands for; `other`: a device, a pipe or a socket. */
export type EntryType = "file" | "folder" | "link" | "other";

/** What the file system says of one entry. */
export interface FileStatus {
  readonly type: EntryType;
  /** Bytes. */
  readonly size: number;
  /** Unix ms. */
  readonly modifiedAt: number;
  /** Permission bits. */
  readonly mode: number;
  /** Names that the content has; over 1, others see it too. */
  readonly links: number;
  /** The same text for as long as nobody changed the file. */
  readonly version: string;
}

export function toStatus(stats: BigIntStats): FileStatus {
  return {
    type: findFileType(stats),
    size: Number(stats.size),
    modifiedAt: Number(stats.mtimeMs),
    mode: Number(stats.mode & 0o7777n),
    links: Number(stats.nlink),
    version: `${contentVersion(stats)}:${stats.ctimeNs}`,
  };
}

/** Like a status' version, but blind to a new name or new permissions. */
export function contentVersion({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

export function findFileType(stats: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): EntryType {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}
