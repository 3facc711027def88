import { closeSync, lstatSync, mkdirSync, openSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import { codeOf } from "../../base/index.ts";

export type StubKind = "file" | "folder";

interface Stub {
  readonly kind: StubKind;
  /** What was made, so that what somebody put in its place stays. */
  readonly made: Stats;
  users: number;
}

/** By path: those that this program made, and who uses them now. */
const stubs = new Map<string, Stub>();

/**
 * Holds the place of a path that does not exist, so that a read-only mount can lie over it while commands run: an empty
 * file or folder, which is removed with its last user if it still is empty. Ended in between, haft leaves it there,
 * and an empty file says nothing. Returns what gives the place back; undefined where nothing can be made, by a command neither.
 */
export function holdPlace(path: string, kind: StubKind): (() => void) | undefined {
  let stub = stubs.get(path);
  if (stub === undefined) {
    const made = make(path, kind);
    if (made === "impossible") return undefined;
    // Somebody else was first, and it is theirs.
    if (made === "exists") return () => {};
    stub = { kind, made, users: 0 };
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

/** Whether a command that still runs holds this place: the next has to hold it too. */
export function isHeld(path: string): boolean {
  return stubs.has(path);
}

function make(path: string, kind: StubKind): Stats | "exists" | "impossible" {
  try {
    if (kind === "folder") mkdirSync(path, 0o755);
    else closeSync(openSync(path, "wx", 0o644));
    return lstatSync(path);
  } catch (error) {
    return codeOf(error) === "EEXIST" ? "exists" : "impossible";
  }
}

function release(path: string, stub: Stub): void {
  if (--stub.users > 0) return;
  stubs.delete(path);
  try {
    const { ino, dev, size } = lstatSync(path);
    if (ino !== stub.made.ino || dev !== stub.made.dev) return;
    if (stub.kind === "folder") rmdirSync(path);
    else if (size === 0) unlinkSync(path);
  } catch {
    // It is gone already, or no longer empty: then it is somebody's.
  }
}
