import { randomBytes } from "node:crypto";
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { getErrorCode } from "../../../base/index.ts";
import { type HeldMark, isMadeByHaft, markHeld } from "./path-locks.ts";

export type StubKind = "file" | "folder";

export interface StubOptions {
  readonly kind: StubKind;
  /** The content of a file. @default nothing */
  readonly content?: string;
}

interface Stub extends StubOptions {
  /** What was made, so that what somebody put in its place stays. */
  readonly made: Stats;
  readonly mark: HeldMark | undefined;
  users: number;
}

/** The stubs that this program holds, by path, and how many use them now. */
const stubs = new Map<string, Stub>();

/**
 * Holds the place of a path that does not exist, so that a read-only mount can lie over it while commands run: a
 * file or folder, which is removed with its last user, of whichever haft program, if nothing else was put in it. Were it removed before, the
 * kernel would take away all mounts that lie over it. Killed in between, haft leaves it there for the next to remove.
 * Returns what gives the place back; undefined where nothing can be made, by a command neither.
 */
export function holdPlace(path: string, options: StubOptions): (() => void) | undefined {
  let stub = stubs.get(path);
  if (stub === undefined) {
    const mark = markHeld(path);
    const made = make(path, options);
    const isOurs = made !== "exists" || isLeft(path, options);
    if (made === "impossible" || !isOurs) {
      mark?.leave(() => {});
      // If somebody else was first, it is theirs.
      return made === "impossible" ? undefined : () => {};
    }
    stub = { ...options, made: made === "exists" ? lstatSync(path) : made, mark, users: 0 };
    mark?.recordMade(stub.made);
    stubs.set(path, stub);
  }
  stub.users++;
  let released = false;
  return () => {
    if (released) return;
    released = true;
    release(path, stub);
  };
}

/** Whether haft holds this place, here or in another program, or did when it was killed: the next has to hold it too. */
export function isHeld(path: string, options: StubOptions): boolean {
  return stubs.has(path) || isLeft(path, options);
}

/** A file with words of ours in it is nobody else's; of an empty one, only the marks can tell. */
function isLeft(path: string, { kind, content = "" }: StubOptions): boolean {
  return isMadeByHaft(path) || (kind === "file" && content !== "" && isFileWith(path, content));
}

function make(path: string, { kind, content = "" }: StubOptions): Stats | "exists" | "impossible" {
  try {
    if (kind === "folder") mkdirSync(path, 0o755);
    else if (content === "") closeSync(openSync(path, "wx", 0o644));
    else linkFile(path, content);
    return lstatSync(path);
  } catch (error) {
    return getErrorCode(error) === "EEXIST" ? "exists" : "impossible";
  }
}

/** It is there with all its content, or not at all. */
function linkFile(path: string, content: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, content, { flag: "wx", mode: 0o644 });
  try {
    linkSync(draft, path);
  } finally {
    rmSync(draft);
  }
}

function release(path: string, stub: Stub): void {
  if (--stub.users > 0) return;
  stubs.delete(path);
  // Without a mark, another program may hold it too: then it stays.
  stub.mark?.leave(() => remove(path, stub));
}

function remove(path: string, { kind, content = "", made }: Stub): void {
  try {
    const { ino, dev } = lstatSync(path);
    if (ino !== made.ino || dev !== made.dev) return;
    if (kind === "folder") rmdirSync(path);
    else if (isFileWith(path, content)) unlinkSync(path);
  } catch {
    // It is gone already, or no longer empty: then it is somebody's.
  }
}

function isFileWith(path: string, content: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === content.length && readFileSync(path, "utf8") === content;
}
