import { isRecord, parseJson } from "../../../base/index.ts";
import type { RepositoryState } from "../../../host/index.ts";

/** What was at a path before a call changed it, as it is kept. */
export type Former =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** A file in the undo folder. */
  | { readonly kind: "kept"; readonly name: string; readonly version: string }
  /** A folder in the undo folder. */
  | { readonly kind: "folder"; readonly name: string }
  | { readonly kind: "link"; readonly target: string }
  /** It is somewhere else now, as it was. */
  | { readonly kind: "moved"; readonly to: string; readonly inode: string }
  | FormerSnapshot
  | FormerRepository;

/**
 * All of a folder, in its shadow repository. The first of a call is how the command found the folder, the second how
 * it left it; where there is no second, the command or its recording was cut off.
 */
export interface FormerSnapshot {
  readonly kind: "snapshot";
  readonly folder: string;
  /** Id of the git tree. */
  readonly tree: string;
  /** Permission bits, of the second: of what the command found, by path below the folder. */
  readonly modes?: Readonly<Record<string, number>>;
  /** Calls whose commands ran in the folder at the same time, in this process. */
  readonly alongside?: readonly string[];
}

/**
 * The state of a folder's git repository, which is not in its snapshot: before a command, and in a second row after it. Where
 * there is no second, the command or its recording was cut off.
 */
export interface FormerRepository {
  readonly kind: "repository";
  /** Root of the work tree. */
  readonly folder: string;
  readonly state: RepositoryState;
}

/** A former file is kept as it is; anything else, and a file that begins like this, under such a line. */
const mark = "haft-former ";

export function encodeFormer(former: Former): Uint8Array {
  if (former.kind !== "bytes") return Buffer.from(`${mark}${JSON.stringify(former)}\n`);
  if (!Buffer.from(former.bytes).subarray(0, mark.length).equals(Buffer.from(mark))) return former.bytes;
  return Buffer.concat([Buffer.from(`${mark}{"kind":"bytes"}\n`), former.bytes]);
}

/** Throws TypeError for what {@link encodeFormer} never made. */
export function decodeFormer(data: Uint8Array): Former {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (!bytes.subarray(0, mark.length).equals(Buffer.from(mark))) return { kind: "bytes", bytes };
  const end = bytes.indexOf(10);
  const value = parseJson(bytes.toString("utf8", mark.length, end === -1 ? bytes.length : end));
  if (isRecord(value)) {
    const { kind, name, version, target, to, inode } = value;
    if (kind === "bytes") return { kind, bytes: bytes.subarray(end + 1) };
    if (kind === "kept" && typeof name === "string" && typeof version === "string")
      return { kind, name, version };
    if (kind === "folder" && typeof name === "string") return { kind, name };
    if (kind === "link" && typeof target === "string") return { kind, target };
    if (kind === "snapshot") return readSnapshot(value);
    if (kind === "repository") return readRepositoryRow(value);
    if (kind === "moved" && typeof to === "string" && typeof inode === "string") return { kind, to, inode };
  }
  throw new TypeError("Cannot read what was kept for undo: its first line is not one of haft's");
}

function readSnapshot({ folder, tree, modes, alongside }: Record<string, unknown>): FormerSnapshot {
  if (typeof folder !== "string" || typeof tree !== "string" || !/^[0-9a-f]{40,64}$/.test(tree))
    throw new TypeError("Cannot read what was kept for undo: it names no snapshot");
  return {
    kind: "snapshot",
    folder,
    tree,
    ...(isRecord(modes) && { modes: modes as Record<string, number> }),
    ...(Array.isArray(alongside) && { alongside: alongside.map(String) }),
  };
}

/** Only haft writes such rows; whoever could change them could change the repository. */
function readRepositoryRow({ folder, state }: Record<string, unknown>): FormerRepository {
  if (typeof folder !== "string" || !isRecord(state) || !isRecord(state["refs"]) || !isRecord(state["logs"]))
    throw new TypeError("Cannot read what was kept for undo: it holds no state of a repository");
  return { kind: "repository", folder, state: state as unknown as RepositoryState };
}
