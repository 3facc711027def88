import { lstatSync } from "node:fs";
import { basename } from "node:path";
import type { CallContext, Effect, EffectKind, ToolContext } from "../../kernel/index.ts";
import { HostError } from "../errors.ts";
import { isInside, PathResolver } from "./path.ts";

/** The part of a call's context that says where its files may lie, and where relative paths start. */
export interface PathBounds extends Pick<CallContext, "allowedPaths"> {
  readonly project?: string | undefined;
}

/** The part of a running call's context that says what was decided about files. */
export type FileAccess = Pick<ToolContext, "allowedPaths" | "project" | "effects" | "signal">;

export type FileEffectKind = Extract<EffectKind, "read" | "write" | "delete">;

/** The folder in which relative paths and commands start, canonical; undefined for a call that has none. */
export function findWorkingFolder(
  { project, allowedPaths }: PathBounds,
  resolver: PathResolver,
): string | undefined {
  const folder = project ?? allowedPaths?.[0];
  return folder === undefined ? undefined : resolver.canonicalFolder(folder);
}

/** Whether a canonical path is the folder in which relative paths and commands of a call start. */
export function isWorkingFolder(path: string, bounds: PathBounds): boolean {
  return path === findWorkingFolder(bounds, new PathResolver());
}

/** Whether a canonical path lies in one of the folders that a call is bound to. */
export function isWithin(path: string, { allowedPaths = [] }: PathBounds, resolver: PathResolver): boolean {
  return allowedPaths.some((root) => isInside(resolver.canonicalFolder(root), path));
}

/**
 * Throws PATH_OUTSIDE unless the call may do this to `path`. Of a kind that the call has effects of, it may do what
 * they name and nothing else: what was decided is what is done, also where a link moved in between. Of a kind that
 * it named nothing of, it may do what lies within its allowed folders.
 */
export function checkPermitted(
  kind: FileEffectKind,
  path: string,
  access: FileAccess,
  resolver: PathResolver,
): void {
  let named = false;
  for (const effect of access.effects) {
    if (covers(effect, kind, path)) return;
    if (effect.kind === kind) named = true;
  }
  if (!named && isWithin(path, access, resolver)) return;
  throw new HostError(
    "PATH_OUTSIDE",
    named
      ? `Cannot ${kind} "${path}": permission denied, as the call was allowed something else; its path leads elsewhere by now, try again`
      : `Cannot ${kind} "${path}": permission denied, as it lies outside the allowed folders; use a path inside them, or have this one allowed`,
    { details: { path, kind } },
  );
}

/** Whoever may change or delete a file may see what it held: that is kept for undo anyway. */
function covers(effect: Effect, kind: FileEffectKind, path: string): boolean {
  const fits =
    effect.kind === kind || (kind === "read" && (effect.kind === "write" || effect.kind === "delete"));
  return fits && isInside(effect.target, path);
}

export interface HaftPaths {
  /** Those that no call may write, move or delete. */
  readonly unchangeable: readonly string[];
  /** Those that no call may read either. */
  readonly hidden: readonly string[];
  /** The hidden folder that relative paths start in where no project is open. */
  readonly noProject?: string | undefined;
}

/**
 * Files and folders of haft's own that no call may touch, whatever was decided about it. They are looked up at each
 * operation: what is protected may not exist yet, and the folders above it may change.
 */
export class ProtectedPaths {
  readonly #unchangeable: readonly string[];
  readonly #hidden: readonly string[];
  readonly #noProject: string | undefined;

  constructor({ unchangeable, hidden, noProject }: HaftPaths) {
    this.#unchangeable = [...unchangeable, ...hidden];
    this.#hidden = hidden;
    this.#noProject = noProject;
  }

  /** A test for paths that no call may read, good for one operation. */
  hiddenNow(resolver: PathResolver = new PathResolver()): (path: string) => boolean {
    const hidden = this.#hidden.map((own) => fold(resolver.canonical(own)));
    return (path) => hidden.some((own) => isInside(own, fold(path)));
  }

  checkRead(path: string, resolver: PathResolver): void {
    if (this.hiddenNow(resolver)(path)) throw this.#refusal("read", path, resolver);
  }

  /** @param whole also refuse what holds a protected path: moving or deleting a folder takes along what is in it */
  checkChange(path: string, { whole }: { readonly whole: boolean }, resolver: PathResolver): void {
    for (const own of this.#unchangeable) {
      const place = fold(resolver.canonical(own));
      if (isInside(place, fold(path)) || (whole && isInside(fold(path), place)) || isSameFile(place, path)) {
        throw this.#refusal("change", path, resolver);
      }
    }
  }

  #refusal(action: string, path: string, resolver: PathResolver): HostError {
    return this.#noProject !== undefined && isInside(resolver.canonical(this.#noProject), path)
      ? noFolderOpen(action, path)
      : protectedPath(action, path);
  }
}

function noFolderOpen(action: string, path: string): HostError {
  const name = basename(path);
  return new HostError(
    "PATH_NO_BASE",
    `Cannot ${action} "${name}": no folder is open, since haft was started outside any project; give an absolute path, or have a person open the project, with --folder`,
    { details: { path: name } },
  );
}

function protectedPath(action: string, path: string): HostError {
  return new HostError(
    "PATH_PROTECTED",
    `Cannot ${action} "${path}": it belongs to haft itself (configuration, policy, store or keys), and no tool may; do it by hand`,
    { details: { path } },
  );
}

/** File systems of macOS and Windows do not mind the case; there, one spelling protects all. */
function fold(path: string): string {
  return process.platform === "linux" ? path : path.normalize("NFC").toLowerCase();
}

/** A protected file by another name: a hard link. */
function isSameFile(one: string, other: string): boolean {
  const a = readLstat(one);
  const b = a === undefined ? undefined : readLstat(other);
  return a !== undefined && b !== undefined && a.isFile() && a.ino === b.ino && a.dev === b.dev;
}

function readLstat(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
