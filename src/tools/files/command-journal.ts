import {
  isInside,
  type PathBounds,
  type Snapshot,
  type SnapshotChange,
  type Snapshots,
} from "../../host/index.ts";
import type { ToolContext } from "../../kernel/index.ts";
import { encodeFormer, type FormerSnapshot } from "./former.ts";
import type { FileServices } from "./services.ts";

/** Recording that lets the changes of commands be undone. */
export interface CommandUndo {
  /** Explains in a phrase why a command's changes in the allowed folders could not be undone; undefined if they could. */
  objection(context: PathBounds): string | undefined;
  /** Whether what a command changes at this path is recorded. */
  covers(path: string, context: PathBounds): boolean;
  /**
   * Records the content of the allowed folders before a command runs. Returns a function that records the changes when
   * the command has ended, or a phrase with the reason why the folders cannot be recorded.
   */
  begin(context: ToolContext): Promise<(() => Promise<void>) | string>;
  /** Names of folders that are not recorded, at any depth. */
  readonly excluded: readonly string[];
}

/** Calls whose commands ran at the same time as a call, by folder and then by call. */
type RunningCalls = Map<string, Map<string, Set<string>>>;

/** Running calls of each set of snapshots, shared by `bash` and the tools that users add. */
const running = new WeakMap<Snapshots, RunningCalls>();

interface Kept {
  readonly before: Snapshot;
  readonly unpin: () => void;
}

/** Records what commands change, by a snapshot of the allowed folders before and one after. */
export class CommandJournal implements CommandUndo {
  readonly #services: FileServices & Required<Pick<FileServices, "snapshots">>;
  readonly #running: RunningCalls;

  constructor(services: FileServices & Required<Pick<FileServices, "snapshots">>) {
    this.#services = services;
    this.#running = running.get(services.snapshots) ?? new Map();
    running.set(services.snapshots, this.#running);
  }

  get excluded(): readonly string[] {
    return [".git", ...this.#services.snapshots.excluded];
  }

  objection(context: PathBounds): string | undefined {
    const folders = this.#foldersOf(context);
    if (folders.length === 0) return "there is no allowed folder";
    return folders
      .map((folder) => this.#services.snapshots.objection(folder))
      .find((one) => one !== undefined);
  }

  covers(path: string, context: PathBounds): boolean {
    return this.#foldersOf(context).some((folder) => this.#services.snapshots.covers(folder, path));
  }

  async begin(context: ToolContext): Promise<(() => Promise<void>) | string> {
    const { snapshots } = this.#services;
    const kept: Kept[] = [];
    for (const folder of this.#foldersOf(context)) {
      const before = await this.#takeBefore(folder, context);
      if (typeof before === "string") {
        for (const { unpin } of kept) unpin();
        return before;
      }
      kept.push({ before, unpin: snapshots.pin(before) });
    }
    // The rows come before the command: should this process end with it, they say what to put back.
    for (const { before } of kept) await this.#record(context, before, {});
    for (const { before } of kept) this.#enter(before.folder, context.callId);
    return () => this.#end(context, kept);
  }

  /** The first snapshot of a folder takes seconds: they are not part of the command's time, and the caller is told. */
  #takeBefore(folder: string, { awaitPerson, progress, signal }: ToolContext): Promise<Snapshot | string> {
    const { snapshots } = this.#services;
    if (!snapshots.isFirst(folder)) return snapshots.take(folder, signal);
    progress(0, undefined, `records ${folder} for the first time, so that commands can be undone`);
    return awaitPerson((until) => snapshots.take(folder, until));
  }

  /** A folder that was left alone gets its second row too, so that undo does not compare it with what is there then. */
  async #end(context: ToolContext, kept: readonly Kept[]): Promise<void> {
    const { snapshots, changes } = this.#services;
    const ended: { readonly before: Snapshot; readonly after: Snapshot; readonly alongside: string[] }[] = [];
    let changed = false;
    for (const { before } of kept) {
      const alongside = this.#leave(before.folder, context.callId);
      const after = await snapshots.take(before.folder);
      changed ||= typeof after === "string" || after.tree !== before.tree;
      if (typeof after !== "string") ended.push({ before, after, alongside });
    }
    if (!changed) {
      for (const { unpin } of kept) unpin();
      await changes.forget(context.scope, context.callId);
      return;
    }
    for (const { before, after, alongside } of ended) {
      if (after.tree !== before.tree) snapshots.pin(after);
      const modes = formerModes(before, await snapshots.compare(before, after));
      await this.#record(context, after, { modes, ...(alongside.length > 0 && { alongside }) });
    }
  }

  async #record(
    { scope, callId, outerCallId }: ToolContext,
    { folder, tree }: Snapshot,
    more: Pick<FormerSnapshot, "modes" | "alongside">,
  ): Promise<void> {
    const { artifacts, changes } = this.#services;
    const former: FormerSnapshot = { kind: "snapshot", folder, tree, ...more };
    const { id } = await artifacts.put({
      scope,
      callId,
      kind: "former",
      mimeType: "application/octet-stream",
      data: encodeFormer(former),
    });
    await changes.record({
      scope,
      callId,
      ...(outerCallId !== undefined && { outerCallId }),
      path: folder,
      before: { artifactId: id, mode: 0 },
      afterHash: null,
    });
  }

  #enter(folder: string, callId: string): void {
    const calls = this.#running.get(folder) ?? new Map<string, Set<string>>();
    this.#running.set(folder, calls);
    for (const others of calls.values()) others.add(callId);
    calls.set(callId, new Set(calls.keys()));
  }

  /** Ends a call in the folder, and returns the calls that ran there at the same time. */
  #leave(folder: string, callId: string): string[] {
    const calls = this.#running.get(folder);
    const others = calls?.get(callId) ?? new Set<string>();
    calls?.delete(callId);
    return Array.from(others);
  }

  /** Canonical allowed folders, without those that lie in another. */
  #foldersOf(context: PathBounds): string[] {
    const { workspace } = this.#services;
    const folders = (context.allowedPaths ?? []).map((path) => workspace.locate(path, context).path);
    return Array.from(new Set(folders)).filter(
      (folder) => !folders.some((other) => other !== folder && isInside(other, folder)),
    );
  }
}

/** Former permission bits of changed files, where git does not record them. */
function formerModes({ folder }: Snapshot, changes: readonly SnapshotChange[]): Record<string, number> {
  return Object.fromEntries(
    changes.flatMap(({ path, before }) => {
      const unusual = before?.type === "file" && before.mode !== 0o644 && before.mode !== 0o755;
      return unusual ? [[path.slice(folder.length + 1), before.mode]] : [];
    }),
  );
}
