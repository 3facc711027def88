import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import { HostError, type HostErrorCode } from "../errors.ts";

interface Meaning {
  readonly code: HostErrorCode;
  readonly state: string;
}

const meanings: Readonly<Record<string, Meaning>> = {
  ENOENT: { code: "FILE_NOT_FOUND", state: "file not found; check the path, or list its folder" },
  ENOTDIR: { code: "FILE_NOT_FOLDER", state: "a part of the path is a file, not a folder; check the path" },
  EISDIR: { code: "FILE_IS_FOLDER", state: "it is a folder; name a file in it" },
  EEXIST: { code: "FILE_EXISTS", state: "something of that name is there already; choose another name" },
  ENOTEMPTY: { code: "FOLDER_NOT_EMPTY", state: "the folder is not empty; empty it first" },
  EACCES: {
    code: "FILE_PERMISSION",
    state: "the file system forbids it; change its permissions, or choose another place",
  },
  EPERM: {
    code: "FILE_PERMISSION",
    state: "the file system forbids it; change its permissions, or choose another place",
  },
  EROFS: {
    code: "FILE_PERMISSION",
    state: "it lies on a file system that is read-only; choose another place",
  },
  EBUSY: {
    code: "FILE_PERMISSION",
    state: "it is in use by the system, as a mount point for example; choose another place",
  },
  ETXTBSY: { code: "FILE_PERMISSION", state: "it is a program that runs; end it first" },
  ENOSPC: { code: "DISK_FULL", state: "the disk is full and nothing was changed; free some space" },
  EDQUOT: {
    code: "DISK_FULL",
    state: "the quota of disk space is used up and nothing was changed; free some space",
  },
  EFBIG: {
    code: "DISK_FULL",
    state: "files may not grow that large here and nothing was changed; write less, or raise the limit",
  },
  ENAMETOOLONG: { code: "PATH_INVALID", state: "a name in it is too long; shorten it" },
  ELOOP: { code: "PATH_CHANGED", state: "a link took its place while it was used; try again" },
  EIO: { code: "FILE_FAILED", state: "the disk reported a fault; check it" },
};

/**
 * What a failed system call means, as a {@link HostError}: `Cannot <action> "<path>": <state>; <remedy>`. Errors that
 * are one already, and the reason of a cancellation, are returned as they are.
 */
export function toFault(thrown: unknown, action: string, path: string): unknown {
  const code = systemCode(thrown);
  if (code === undefined) return thrown;
  const meaning = meanings[code];
  return new HostError(
    meaning?.code ?? "FILE_FAILED",
    `Cannot ${action} "${path}": ${meaning?.state ?? `${getErrorMessage(thrown)}; see the cause`}`,
    { cause: thrown, details: { path, system: code } },
  );
}

/** The name of a failed system call's error, such as `ENOENT`. */
export function systemCode(thrown: unknown): string | undefined {
  const isOfSystem = thrown instanceof Error && !(thrown instanceof HostError) && "syscall" in thrown;
  return isOfSystem ? getErrorCode(thrown) : undefined;
}
