import { hash as sha256 } from "node:crypto";
import { RecentMap } from "../../base/index.ts";
import type { OpenedFile } from "../../host/index.ts";
import type { ToolContext } from "../../kernel/index.ts";
import { FileToolError } from "./errors.ts";

/** The agent that has seen a file. */
type Viewer = Pick<ToolContext, "scope" | "signal"> & Partial<Pick<ToolContext, "agentId" | "origin">>;

/** A file as an agent last saw it. */
export interface SeenFile {
  /** The status' version. */
  readonly version: string;
  /** SHA-256 of the content, in hex; absent for a file over 4 MiB, which its version alone stands for. */
  readonly hash?: string;
}

/** Remembers what each agent has seen in each session; a lost entry only means that a file must be read again. */
export interface SeenFiles {
  get(key: string): SeenFile | undefined;
  set(key: string, seen: SeenFile): void;
}

/** Hashing more than this at each read would cost as much as the reading. */
const maxHashedBytes = 4 * 1024 * 1024;
const maxEntries = 10_000;

/** The default: in memory, the 10,000 last. */
export function rememberSeenFiles(): SeenFiles {
  return new RecentMap(maxEntries);
}

/** Notes that the agent of this call knows what is in the file. */
export async function markSeen(seen: SeenFiles, file: OpenedFile, context: ToolContext): Promise<void> {
  const { version, size } = file.status;
  const hash = size <= maxHashedBytes ? await file.hash(context.signal) : undefined;
  seen.set(toKey(file.path, context), { version, ...(hash !== undefined && { hash }) });
}

/** Whether the agent of this call knows the file as it is now. */
export async function isSeen(seen: SeenFiles, file: OpenedFile, context: ToolContext): Promise<boolean> {
  return (await lookUp(seen, file, context)) === "current";
}

/** Throws FILE_NOT_READ or FILE_STALE unless the agent of this call knows the file as it is now. */
export async function checkSeen(seen: SeenFiles, file: OpenedFile, context: Viewer): Promise<void> {
  const found = await lookUp(seen, file, context);
  if (found === "current") return;
  const { path } = file;
  throw found === "never"
    ? new FileToolError(
        "FILE_NOT_READ",
        `Cannot write "${path}": it exists and was not read yet, so its content would be lost unseen; read it first, or use edit`,
        { details: { path } },
      )
    : new FileToolError(
        "FILE_STALE",
        `Cannot write "${path}": it has changed since it was read; read it again and take the change into account`,
        { details: { path } },
      );
}

/** Marks a file as seen after a call has put `content` there itself. */
export function markWritten(
  seen: SeenFiles,
  written: { readonly path: string; readonly version: string; readonly size: number; readonly hash: string },
  context: ToolContext,
): void {
  const { path, version, size, hash } = written;
  seen.set(toKey(path, context), { version, ...(size <= maxHashedBytes && { hash }) });
}

async function lookUp(
  seen: SeenFiles,
  file: OpenedFile,
  context: Viewer,
): Promise<"never" | "changed" | "current"> {
  const known = seen.get(toKey(file.path, context));
  if (known === undefined) return "never";
  // A version can miss a change within one tick of the file system's clock; the content cannot.
  const same =
    known.hash === undefined
      ? known.version === file.status.version
      : file.status.size <= maxHashedBytes && known.hash === (await file.hash(context.signal));
  return same ? "current" : "changed";
}

/**
 * What one session has read says nothing to another. Where each request of a client stands for itself there is no session:
 * then it is whoever the credential names, with what the client calls itself. At a terminal each call is a process
 * of its own, and all of them are one.
 */
function toKey(path: string, { scope, agentId, origin }: Viewer): string {
  const { session, principal, client } = origin ?? {};
  const caller = session ?? (client === undefined ? undefined : [principal, client.name]);
  const parts = [scope, agentId, path, ...(caller === undefined ? [] : [caller])];
  return sha256("sha256", JSON.stringify(parts), "base64url");
}
