import { dirname } from "node:path";
import {
  blobHash,
  type FileAccess,
  type FileStatus,
  type SnapshotChange,
  type SnapshotEntry,
} from "../../../host/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import type { FileChange } from "../../undo/index.ts";
import { FileToolError } from "../errors.ts";
import type { FileServices } from "../services.ts";
import type { Journal } from "./journal.ts";
import type { FormerSnapshot } from "./revision.ts";

/** A change that undo takes back. */
export interface UndoStep {
  readonly path: string;
  readonly run: (context: ToolContext) => Promise<void>;
}

/** Plan for one path; `done`: it already has its former state. */
export type UndoPlan = UndoStep | "done" | { readonly conflict: string };

/** Changes of a command in one folder. */
export interface CommandChanges {
  readonly folder: string;
  readonly changes: readonly SnapshotChange[];
  /** Calls whose commands ran at the same time, so that their changes cannot be told apart. */
  readonly alongside: readonly string[];
}

/** Compares the snapshots of one call, folder by folder; a missing second snapshot is taken now. */
export async function readCommandChanges(
  { snapshots }: FileServices,
  found: readonly { readonly change: FileChange; readonly former: FormerSnapshot }[],
): Promise<readonly CommandChanges[]> {
  const folders = Map.groupBy(found, ({ former }) => former.folder);
  const read: CommandChanges[] = [];
  for (const [folder, [first, last]] of folders) {
    if (first === undefined) continue;
    const former = first.former;
    if (snapshots === undefined || !(await snapshots.holds(former))) {
      throw new FileToolError(
        "UNDO_NOT_KEPT",
        `Cannot undo what a command changed in "${folder}": its snapshot is kept no longer; put it back by hand`,
      );
    }
    const before = snapshots.find(folder, former.tree);
    const after =
      last === undefined ? await snapshots.take(folder) : snapshots.find(folder, last.former.tree);
    if (typeof after === "string")
      throw new FileToolError(
        "UNDO_CONFLICT",
        `Cannot undo what a command changed: ${after}; put it back by hand`,
      );
    const modes = last?.former.modes ?? before.modes;
    // Of the files that the command left alone, no permissions are recorded.
    const own = Object.entries(after.modes).filter(([path]) => Object.hasOwn(modes, path));
    const left = last === undefined ? after : { ...after, modes: Object.fromEntries(own) };
    read.push({
      folder,
      changes: await snapshots.compare({ ...before, modes }, left),
      alongside: last?.former.alongside ?? [],
    });
  }
  return read;
}

/** Plans how to restore from snapshots what a command changed. */
export class SnapshotUndo {
  readonly #services: FileServices;
  readonly #access: FileAccess;
  readonly #journal: Journal;

  constructor(services: FileServices, access: FileAccess, journal: Journal) {
    this.#services = services;
    this.#access = access;
    this.#journal = journal;
  }

  async planOne(folder: string, change: SnapshotChange): Promise<UndoPlan> {
    const { path, before, after } = change;
    const now = this.#services.workspace.status(path, this.#access, { follow: false });
    const there = await this.#identify(path, now);
    if (isSame(there, before)) return "done";
    // A folder stands where a file was: it goes once what the command put into it has gone.
    const isFolderNow = now?.type === "folder" && after === undefined;
    if (!isFolderNow && !isSameContent(there, after)) {
      if (there === undefined && now === undefined)
        return before === undefined ? "done" : { conflict: "was deleted since" };
      return { conflict: after === undefined ? "is there again" : "has changed since" };
    }
    return {
      path,
      run: (context) => this.#restore(folder, { ...change, after: there }, isFolderNow, context),
    };
  }

  /** Plans the removal of folders that the command created, if they are empty. */
  planFolders({ folder, changes }: CommandChanges): UndoStep[] {
    return madeFolders(folder, changes).map((path) => ({
      path,
      run: async (context) => this.#removeEmpty(path, context),
    }));
  }

  async #restore(
    folder: string,
    { path, before, after }: SnapshotChange,
    isFolder: boolean,
    context: ToolContext,
  ): Promise<void> {
    const { workspace } = this.#services;
    if (isFolder) workspace.removeMadeFolder(path, context);
    // Replacing keeps the permissions of what is replaced.
    else if (
      after !== undefined &&
      (before?.type !== "file" || after.type !== "file" || after.mode !== before.mode)
    )
      await this.#remove(path, after.type, context);
    if (before === undefined) return;
    const content = this.#services.snapshots?.readBlob(folder, before.blob) ?? [];
    if (before.type === "link") {
      const target: Uint8Array[] = [];
      for await (const chunk of content) target.push(chunk);
      const text = Buffer.concat(target).toString();
      await this.#journal.madeLink(path, text, context);
      workspace.restoreLink(path, text, context);
      return;
    }
    using staged = workspace.stage(path, context, { mode: before.mode });
    for await (const chunk of content) await staged.write(chunk);
    await this.#journal.commit(staged, context);
  }

  async #remove(path: string, type: SnapshotEntry["type"], context: ToolContext): Promise<void> {
    const { workspace } = this.#services;
    if (type === "link") {
      await this.#journal.linkRemoval(path, workspace.linkTarget(path, context), context);
    } else {
      using file = workspace.open(path, context);
      await this.#journal.fileRemoval(file, context);
    }
    workspace.remove(path, context, "write");
  }

  #removeEmpty(path: string, context: ToolContext): void {
    const { workspace } = this.#services;
    if (workspace.status(path, context, { follow: false })?.type !== "folder") return;
    workspace.removeMadeFolder(path, context);
  }

  /** Describes what is at a path in the form of a snapshot entry. */
  async #identify(path: string, now: FileStatus | undefined): Promise<SnapshotEntry | undefined> {
    const { workspace } = this.#services;
    if (now?.type === "link") {
      const target = Buffer.from(workspace.linkTarget(path, this.#access));
      const hash = blobHash(target.length);
      hash.update(target);
      return { type: "link", mode: 0, blob: hash.digest() };
    }
    if (now?.type !== "file") return undefined;
    using file = workspace.open(path, this.#access);
    const hash = blobHash(file.status.size);
    for await (const chunk of file.chunks(this.#access.signal)) hash.update(chunk);
    return { type: "file", mode: now.mode, blob: hash.digest() };
  }
}

function isSame(one: SnapshotEntry | undefined, other: SnapshotEntry | undefined): boolean {
  return isSameContent(one, other) && one?.mode === other?.mode;
}

function isSameContent(one: SnapshotEntry | undefined, other: SnapshotEntry | undefined): boolean {
  return one?.type === other?.type && one?.blob === other?.blob;
}

/** Folders whose files were all created by the command, innermost first. */
export function madeFolders(root: string, changes: readonly SnapshotChange[]): string[] {
  const former = new Set(
    changes.flatMap(({ path, before }) => (before === undefined ? [] : listFolders(root, path))),
  );
  const made = changes.flatMap(({ path, before }) => (before === undefined ? listFolders(root, path) : []));
  return Array.from(new Set(made))
    .filter((folder) => !former.has(folder))
    .sort((a, b) => b.length - a.length);
}

/** Folders between a root and a path in it, without the root. */
function listFolders(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder))
    folders.push(folder);
  return folders;
}
