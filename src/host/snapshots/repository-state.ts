import { createHash } from "node:crypto";
import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { getErrorCode } from "../../base/index.ts";
import { type IndexContent, readIndexContent } from "./git-index-state.ts";
import { UnsupportedRepository } from "./unsupported-repository.ts";

/** What a git command changes in a repository beside the files of the work tree. Objects are only added. */
export interface RepositoryState {
  /** Text of the file `HEAD`. */
  readonly head: string;
  /** Ids by the full name of their ref; null: there is no such ref. */
  readonly refs: Readonly<Record<string, string | null>>;
  /** Reflogs by the full name of their ref. */
  readonly logs: Readonly<Record<string, ReflogState | null>>;
  /** null: there is no index yet. */
  readonly index: IndexState | null;
}

/** A reflog, to which git adds lines at the end. */
export interface ReflogState {
  readonly bytes: number;
  /** SHA-256 of the content. */
  readonly hash: string;
  /** The last bytes in base64: what git added since, or an undo took away, is no more than this. */
  readonly end: string;
}

export interface IndexState {
  /** Id of the blob that holds the index in the shadow repository. */
  readonly blob: string;
  /** SHA-256 over the entries, which stays the same if git only looks at the files again. */
  readonly entries: string;
}

/** The state, with the content of the index that has yet to be stored. */
export interface ReadRepository extends Omit<RepositoryState, "index"> {
  readonly index: IndexContent | undefined;
}

const mostIndexBytes = 32 * 1024 * 1024;
const mostRefBytes = 1024;
const mostEndBytes = 8 * 1024;
/** Refs that git commands leave behind in the repository's own folder. */
const pseudoRefs = ["ORIG_HEAD", "AUTO_MERGE"];
const stashRef = "refs/stash";
const objectId = /^[0-9a-f]{40}$/;

/** Reads a repository: HEAD, its branch, the stash, the index, and the refs of these names. */
export function readRepository(git: string, names: readonly string[]): ReadRepository {
  const head = readHead(git);
  const packed = readPackedRefs(git);
  const tracked = new Set([...(head.branch === undefined ? [] : [head.branch]), stashRef, ...names]);
  const refs: Record<string, string | null> = {};
  const logs: Record<string, ReflogState | null> = { HEAD: readReflog(git, "HEAD") };
  for (const name of tracked) {
    refs[name] = readRef(git, name, packed);
    if (name.startsWith("refs/")) logs[name] = readReflog(git, name);
  }
  for (const name of pseudoRefs) refs[name] = readRef(git, name, packed);
  const index = readIndexFile(git);
  return { head: head.text, refs, logs, index: index && readIndexContent(index) };
}

/** Bytes of a repository's index; undefined if there is none yet. */
export function readIndexFile(git: string): Buffer | undefined {
  return readFile(join(git, "index"), mostIndexBytes);
}

/** HEAD of a repository. `branch`: full name of the branch; absent if HEAD is detached. */
export function readHead(git: string): { readonly text: string; readonly branch?: string } {
  const text = readFile(join(git, "HEAD"), mostRefBytes)?.toString("utf8");
  const branch = /^ref: (refs\/heads\/[^\n]+)\n$/.exec(text ?? "")?.[1];
  if (text === undefined || (branch === undefined && !objectId.test(text.trim())))
    throw new UnsupportedRepository("HEAD of git here is of a kind that is not read");
  return { text, ...(branch !== undefined && { branch }) };
}

/** Reads `packed-refs`: ids by the full name of their ref. */
export function readPackedRefs(git: string): ReadonlyMap<string, string> {
  const packed = new Map<string, string>();
  const text = readFile(join(git, "packed-refs"), mostIndexBytes)?.toString("utf8") ?? "";
  for (const line of text.split("\n"))
    if (/^[0-9a-f]{40} refs\//.test(line)) packed.set(line.slice(41), line.slice(0, 40));
  return packed;
}

/** Id that a ref stands for; null if there is none. */
export function readRef(git: string, name: string, packed: ReadonlyMap<string, string>): string | null {
  const text = readFile(join(git, name), mostRefBytes)?.toString("utf8").trim();
  if (text === undefined) return packed.get(name) ?? null;
  if (objectId.test(text)) return text;
  throw new UnsupportedRepository(`${name} of git here is of a kind that is not read`);
}

function readReflog(git: string, name: string): ReflogState | null {
  const content = readFile(join(git, "logs", name), mostIndexBytes);
  if (content === undefined) return null;
  const end = content.subarray(Math.max(0, content.length - mostEndBytes)).toString("base64");
  return { bytes: content.length, hash: computeHash(content), end };
}

/** Content of a reflog in a former state, from what it holds now; undefined if more than its end has changed. */
export function rebuildReflog(now: Uint8Array, { bytes, hash, end }: ReflogState): Buffer | undefined {
  const tail = Buffer.from(end, "base64");
  const content = Buffer.concat([now.subarray(0, bytes - tail.length), tail]);
  return computeHash(content) === hash ? content : undefined;
}

function computeHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Content of a regular file; undefined if there is none, or a folder. */
export function readFile(path: string, mostBytes: number): Buffer | undefined {
  const status = readStatus(path);
  if (status === undefined || status.isDirectory()) return undefined;
  if (!status.isFile()) throw new UnsupportedRepository(`${path} is no regular file`);
  if (status.size > mostBytes) throw new UnsupportedRepository(`${path} is too large`);
  return readFileSync(path);
}

/** Status of what is at a path; undefined if nothing is, or one of its parents is a file. */
export function readStatus(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (getErrorCode(error) === "ENOENT" || getErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
