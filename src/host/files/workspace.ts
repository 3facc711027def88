import { lstatSync, readlinkSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { nearestNames } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import { temporaryPlaces } from "../sandbox/mounts/temporary-folders.ts";
import { AnchoredFolder, anchorParent, entryName } from "./anchored-folder.ts";
import {
  checkPermitted,
  type FileAccess,
  type FileEffectKind,
  findWorkingFolder,
  isWithin,
  type PathBounds,
  ProtectedPaths,
} from "./bounds.ts";
import { toFault } from "./fault.ts";
import { type FileStatus, toStatus } from "./file-status.ts";
import { makePlace } from "./make-folders.ts";
import { checkFreeTarget, type Moved, moveEntry, removeEmptyFolder } from "./move-entry.ts";
import { type OpenedFile, openFile } from "./opened-file.ts";
import { isInside, PathResolver, type ResolvedPath, resolvePath } from "./path.ts";
import { checkEmpty, removeEntry } from "./remove-entry.ts";
import { type FindOptions, type FoundFiles, findFiles } from "./searching/find-files.ts";
import { type FolderListing, type ListOptions, listFolder, namesIn } from "./searching/list-folder.ts";
import { type SearchOptions, type SearchResult, searchText } from "./searching/search-text.ts";
import { StagedWrite } from "./staged-write.ts";
import type { KeptEntry, UndoFolder } from "./undo-folder.ts";

/** What a workspace keeps for undo, and what it keeps from every call. */
export interface WorkspaceOptions {
  /** The folder that keeps former files for undo; best on the file system of the files. Hidden from every call. */
  readonly undo: UndoFolder;
  /** Files and folders of haft's own that no call may write, move or delete; they need not exist yet. */
  readonly protectedPaths?: readonly string[];
  /** Those that no call may read either: keys, tokens, the store. */
  readonly hiddenPaths?: readonly string[];
  /** The hidden folder that relative paths start in where no project is open. */
  readonly noProject?: string;
}

/** What a path leads to, before anything is decided about it. */
export interface Located {
  /** Canonical and absolute: every link followed, also for what does not exist yet. */
  readonly path: string;
  /** Inside the allowed folders. */
  readonly within: boolean;
}

/** How to take the last name of a path. */
export interface LocateOptions {
  /** false: a link in the last place stands for itself, as for deleting and moving. @default true */
  readonly follow?: boolean;
}

/**
 * The files of this machine, as far as one call may see and change them. A call may do what its decided effects name
 * and, of kinds it named nothing of, what lies within its allowed folders; without either, nothing. Paths are given
 * as the caller has them: relative ones start from its working folder, `~/` from the user's home. Every
 * operation resolves the path anew, holds the folder it leads to, and fails with PATH_CHANGED if the place is
 * exchanged on the way: no link leads out in mid-call.
 *
 * @example
 * ```ts
 * const folder = process.cwd();
 * const workspace = new Workspace({ undo: new UndoFolder("/home/ada/.undo") });
 * const { path, within } = workspace.locate("notes.txt", { allowedPaths: [folder] });
 * path; // → `${folder}/notes.txt`
 * within; // → true
 * ```
 */
export class Workspace {
  readonly undo: UndoFolder;
  readonly #protected: ProtectedPaths;

  constructor({ undo, protectedPaths = [], hiddenPaths = [], noProject }: WorkspaceOptions) {
    this.undo = undo;
    const hidden = [...hiddenPaths, undo.path];
    this.#protected = new ProtectedPaths({ unchangeable: protectedPaths, hidden, noProject });
  }

  /** Says where a path leads; what a tool declares as the target of its effect. Touches nothing. */
  locate(path: string, bounds: PathBounds, options: LocateOptions = {}): Located {
    const resolver = new PathResolver();
    const resolved = this.#resolve(path, bounds, options, resolver).path;
    return { path: resolved, within: isWithin(resolved, bounds, resolver) };
  }

  /** What is at `path`; undefined where nothing is. */
  status(path: string, access: FileAccess, options: LocateOptions = {}): FileStatus | undefined {
    const target = this.#readable(path, access, options);
    const parent = dirname(target);
    if (parent === target) return toStatus(lstatSync(target, { bigint: true }));
    try {
      using folder = AnchoredFolder.open(parent);
      const stats = lstatSync(folder.at(basename(target)), { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? undefined : toStatus(stats);
    } catch (error) {
      const fault = toFault(error, "look at", target);
      if (fault instanceof HostError && (fault.code === "FILE_NOT_FOUND" || fault.code === "FILE_NOT_FOLDER"))
        return undefined;
      throw fault;
    }
  }

  /** Opens a regular file for reading. The caller closes it (`using`). */
  open(path: string, access: FileAccess): OpenedFile {
    const target = this.#readable(path, access, {});
    try {
      return openFile(target, "read");
    } catch (error) {
      const isOurs = isWithin(dirname(target), access, new PathResolver());
      throw isOurs ? withNearNames(error, target) : withOtherPlace(error, target);
    }
  }

  /** Entries of a folder, at most `limit`. */
  list(
    path: string,
    access: FileAccess,
    options: Omit<ListOptions, "signal" | "hides">,
  ): Promise<FolderListing> {
    const target = this.#readable(path, access, {});
    return listFolder(target, { ...options, signal: access.signal, hides: this.#protected.hiddenNow() });
  }

  /** Files below a folder whose paths match a pattern, through ripgrep. */
  find(path: string, access: FileAccess, options: Omit<FindOptions, "signal">): Promise<FoundFiles> {
    const target = this.#readable(path, access, {});
    return findFiles(target, { ...options, signal: access.signal, hides: this.#protected.hiddenNow() });
  }

  /** Lines of a file, or of the files below a folder, that match a pattern, through ripgrep. */
  search(path: string, access: FileAccess, options: Omit<SearchOptions, "signal">): Promise<SearchResult> {
    const target = this.#readable(path, access, {});
    return searchText(target, { ...options, signal: access.signal, hides: this.#protected.hiddenNow() });
  }

  /**
   * Begins to replace a file, or to make one with the folders it needs. Nothing changes before `commit()`; dispose of
   * the stage in any case (`using`).
   */
  stage(path: string, access: FileAccess, options: { readonly mode?: number } = {}): StagedWrite {
    const resolver = new PathResolver();
    const resolved = this.#resolve(path, access, {}, resolver);
    if (resolved.danglingLink !== undefined) {
      throw new HostError(
        "PATH_DANGLING",
        `Cannot write "${path}": "${resolved.danglingLink}" is a link to "${resolved.path}", which does not exist; write to that path, or delete the link first`,
        { details: { link: resolved.danglingLink, target: resolved.path } },
      );
    }
    this.#checkChange("write", resolved.path, access, { whole: false }, resolver);
    return new StagedWrite(makePlace(resolved.path, "write"), { ...options, signal: access.signal });
  }

  /** The text of a link. */
  linkTarget(path: string, access: FileAccess): string {
    const target = this.#readable(path, access, { follow: false });
    const { folder, name } = anchorParent(target, "read");
    using held = folder;
    return readlinkSync(held.at(name));
  }

  /** Makes a link where nothing is; only undo puts links back. */
  restoreLink(path: string, linkTarget: string, access: FileAccess): void {
    const target = this.#placeable(path, access);
    const { folder, name } = makePlace(target, "restore");
    using held = folder;
    symlinkSync(linkTarget, held.at(name));
  }

  /**
   * Removes a file, a link or an empty folder; false where nothing was.
   * @param as `write` for taking back what a call made, as undo does
   */
  remove(path: string, access: FileAccess, as: FileEffectKind & ("write" | "delete") = "delete"): boolean {
    return removeEntry(this.#removable(path, access, as));
  }

  /** Throws what {@link remove} would throw for want of permission: before anything is recorded. */
  checkRemovable(path: string, access: FileAccess): void {
    this.#removable(path, access, "delete");
  }

  /** Throws what {@link move} would throw for want of permission, or because something is there already. */
  checkMovable(from: string, to: string, access: FileAccess): void {
    const places = this.#movable(from, to, access);
    if (this.status(to, access, { follow: false }) !== undefined) checkFreeTarget(places.from, places.to);
  }

  /** Throws FOLDER_NOT_EMPTY if anything is in the folder. */
  checkEmpty(path: string, access: FileAccess): void {
    checkEmpty(this.#removable(path, access, "delete"));
  }

  /** Moves a folder with all it holds into the undo folder, to the name that was reserved there. */
  async removeFolder(path: string, reserved: string, access: FileAccess): Promise<void> {
    await this.undo.takeFolder(this.#removable(path, access, "delete"), reserved, access.signal);
  }

  /** Puts a folder from the undo folder back to where nothing is. */
  async restoreFolder(kept: Pick<KeptEntry, "name">, path: string, access: FileAccess): Promise<void> {
    const target = this.#placeable(path, access);
    await moveEntry(this.undo.find({ name: kept.name }), target, access.signal);
  }

  /** Moves a file, a link or a folder to where nothing is; makes the folders it needs. */
  async move(from: string, to: string, access: FileAccess): Promise<Moved> {
    const places = this.#movable(from, to, access);
    return moveEntry(places.from, places.to, access.signal);
  }

  /** Removes a folder that a call made, if nothing is in it any more. */
  removeMadeFolder(path: string, access: FileAccess): boolean {
    return removeEmptyFolder(this.#removable(path, access, "write"));
  }

  /** An open file of the undo folder. */
  openKept(entry: KeptEntry): OpenedFile {
    return openFile(
      resolvePath(this.undo.find(entry), { base: undefined, followLast: false }).path,
      "restore",
    );
  }

  #resolve(
    path: string,
    bounds: PathBounds,
    { follow = true }: LocateOptions,
    resolver: PathResolver,
  ): ResolvedPath {
    return resolver.resolve(path, { base: () => findWorkingFolder(bounds, resolver), followLast: follow });
  }

  #readable(path: string, access: FileAccess, options: LocateOptions): string {
    access.signal.throwIfAborted();
    const resolver = new PathResolver();
    const target = this.#resolve(path, access, options, resolver).path;
    checkPermitted("read", target, access, resolver);
    this.#protected.checkRead(target, resolver);
    return target;
  }

  #movable(from: string, to: string, access: FileAccess): { readonly from: string; readonly to: string } {
    const resolver = new PathResolver();
    const places = {
      from: this.#resolve(from, access, { follow: false }, resolver).path,
      to: this.#resolve(to, access, { follow: false }, resolver).path,
    };
    for (const place of [places.from, places.to]) {
      entryName(place);
      this.#checkChange("write", place, access, { whole: true }, resolver);
    }
    return places;
  }

  #removable(path: string, access: FileAccess, as: "write" | "delete"): string {
    const resolver = new PathResolver();
    const target = this.#resolve(path, access, { follow: false }, resolver).path;
    entryName(target);
    this.#checkChange(as, target, access, { whole: true }, resolver);
    return target;
  }

  /** Resolves a path that may be written as a whole. */
  #placeable(path: string, access: FileAccess): string {
    const resolver = new PathResolver();
    const target = this.#resolve(path, access, { follow: false }, resolver).path;
    this.#checkChange("write", target, access, { whole: true }, resolver);
    return target;
  }

  #checkChange(
    kind: "write" | "delete",
    path: string,
    access: FileAccess,
    scope: { readonly whole: boolean },
    resolver: PathResolver,
  ): void {
    access.signal.throwIfAborted();
    checkPermitted(kind, path, access, resolver);
    this.#protected.checkChange(path, scope, resolver);
  }
}

/** A file that is not there, with the names in its folder that come close. */
function withNearNames(error: unknown, path: string): unknown {
  if (!(error instanceof HostError) || error.code !== "FILE_NOT_FOUND") return error;
  const near = nearestNames(basename(path), namesIn(dirname(path)));
  if (near.length === 0) return error;
  return new HostError(
    "FILE_NOT_FOUND",
    `Cannot read "${path}": file not found; did you mean ${near.map((name) => `"${name}"`).join(" or ")}`,
    {
      cause: error.cause,
      details: { path, nearest: near },
    },
  );
}

/** A temporary file that is not there: a command may have written one of that name, where only commands see it. */
function withOtherPlace(error: unknown, path: string): unknown {
  if (!(error instanceof HostError) || error.code !== "FILE_NOT_FOUND") return error;
  const place = temporaryPlaces.find((one) => isInside(one, path));
  if (place === undefined) return error;
  return new HostError(
    "FILE_NOT_FOUND",
    `Cannot read "${path}": file not found; commands in a sandbox have a ${place} of their own, which only they see: read it by a command, or have it written to the working folder`,
    { cause: error.cause, details: { path } },
  );
}
