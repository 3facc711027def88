import { join } from "node:path";
import {
  type GitTargets,
  isInside,
  type PathBounds,
  type RepositoryState,
  type Snapshot,
  type SnapshotChange,
  type Snapshots,
} from "../../../host/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import type { FileServices } from "../services.ts";
import { Journal } from "./journal.ts";
import type { FormerSnapshot } from "./revision.ts";

/** Recording that lets the changes of commands be undone. */
export interface CommandUndo {
  /** Explains in a phrase why a command's changes in the allowed folders could not be undone; undefined if they could. */
  objection(context: PathBounds): string | undefined;
  /** Whether what a command changes at this path is recorded. */
  covers(path: string, context: PathBounds): boolean;
  /**
   * Records the content of the allowed folders before a command runs. Returns a function that records the changes when
   * the command has ended, or a phrase with the reason why the folders cannot be recorded.
   *
   * @param git the repository to record as well, if the command changes one
   */
  begin(context: ToolContext, git?: ChangedRepository): Promise<(() => Promise<void>) | string>;
  /**
   * Explains in a phrase why it could not be undone that git, run in the folder that is the root of a work tree, goes to
   * these commits; undefined if it could.
   */
  objectionToGit(root: string, targets: GitTargets, context: PathBounds): Promise<string | undefined>;
  /** Names of folders that are not recorded, at any depth. */
  readonly excluded: readonly string[];
}

/** The git repository that a command changes. */
export interface ChangedRepository {
  /** Folder in which the command starts. */
  readonly folder: string;
  /** Full names of the refs that it may change, beside HEAD, the branch that it is on, and the stash. */
  readonly refs: readonly string[];
}

/** Calls whose commands ran at the same time as a call, by folder and then by call. */
type RunningCalls = Map<string, Map<string, Set<string>>>;

/** Running calls of each set of snapshots, shared by `bash` and the tools that users add. */
const running = new WeakMap<Snapshots, RunningCalls>();

interface Kept {
  readonly before: Snapshot;
  readonly unpin: () => void;
}

interface Ended {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly alongside: readonly string[];
  readonly changes: readonly SnapshotChange[];
}

interface KeptRepository {
  readonly folder: string;
  readonly before: RepositoryState;
  readonly unpin: () => void;
}

/** Records what commands change, by a snapshot of the allowed folders before and one after. */
export class CommandJournal implements CommandUndo {
  readonly #services: FileServices & { readonly snapshots: Snapshots };
  readonly #journal: Journal;
  readonly #running: RunningCalls;

  constructor(services: FileServices & { readonly snapshots: Snapshots }) {
    this.#services = services;
    this.#journal = new Journal(services);
    this.#running = running.get(services.snapshots) ?? new Map();
    running.set(services.snapshots, this.#running);
  }

  get excluded(): readonly string[] {
    return [".git", ...this.#services.snapshots.excluded];
  }

  objection(context: PathBounds): string | undefined {
    const folders = this.#listFolders(context);
    if (folders.length === 0) return "there is no allowed folder";
    return folders
      .map((folder) => this.#services.snapshots.objection(folder))
      .find((one) => one !== undefined);
  }

  covers(path: string, context: PathBounds): boolean {
    return this.#listFolders(context).some((folder) => this.#services.snapshots.covers(folder, path));
  }

  objectionToGit(root: string, targets: GitTargets, context: PathBounds): Promise<string | undefined> {
    if (!this.#listFolders(context).includes(root))
      return Promise.resolve(`${root} is not an allowed folder by itself`);
    return this.#services.snapshots.objectionToGit(root, targets);
  }

  async begin(context: ToolContext, git?: ChangedRepository): Promise<(() => Promise<void>) | string> {
    const { snapshots } = this.#services;
    const kept: Kept[] = [];
    const fail = (reason: string) => {
      for (const { unpin } of kept) unpin();
      return reason;
    };
    for (const folder of this.#listFolders(context)) {
      const before = await this.#takeBefore(folder, context);
      if (typeof before === "string") return fail(before);
      kept.push({ before, unpin: snapshots.pin(before) });
    }
    const repository = git && (await this.#takeRepository(git, context));
    if (typeof repository === "string") return fail(repository);
    // The rows come before the command: should this process end with it, they say what to put back.
    for (const { before } of kept) await this.#recordFolder(context, before, {});
    if (repository) await this.#recordRepository(context, repository.folder, repository.before);
    for (const { before } of kept) this.#enter(before.folder, context.callId);
    return () => this.#end(context, kept, repository);
  }

  async #takeRepository(
    { folder, refs }: ChangedRepository,
    context: ToolContext,
  ): Promise<KeptRepository | string> {
    const { snapshots } = this.#services;
    const root = this.#listFolders(context).find((one) => isInside(one, folder));
    if (root === undefined) return `${folder} is in no allowed folder`;
    const before = await snapshots.takeRepository(root, refs, context.signal);
    if (typeof before === "string") return before;
    return { folder: root, before, unpin: pinRepository(snapshots, root, before) };
  }

  /** The first snapshot of a folder takes seconds: they are not part of the command's time, and the caller is told. */
  #takeBefore(folder: string, { awaitPerson, progress, signal }: ToolContext): Promise<Snapshot | string> {
    const { snapshots } = this.#services;
    if (!snapshots.isFirst(folder)) return snapshots.take(folder, signal);
    progress(0, undefined, `records ${folder} for the first time, so that commands can be undone`);
    return awaitPerson((until) => snapshots.take(folder, until));
  }

  /** A folder that was left alone gets its second row too, so that undo does not compare it with what is there then. */
  async #end(
    context: ToolContext,
    kept: readonly Kept[],
    repository: KeptRepository | undefined,
  ): Promise<void> {
    const { snapshots, changes } = this.#services;
    const ended: Ended[] = [];
    let changed = false;
    for (const { before } of kept) {
      const alongside = this.#leave(before.folder, context.callId);
      const after = await snapshots.take(before.folder);
      const made = typeof after === "string" ? undefined : await snapshots.compare(before, after);
      changed ||= made === undefined || made.length > 0;
      if (typeof after !== "string" && made !== undefined)
        ended.push({ before, after, alongside, changes: made });
    }
    const left =
      repository && (await snapshots.takeRepository(repository.folder, Object.keys(repository.before.refs)));
    changed ||= JSON.stringify(left) !== JSON.stringify(repository?.before);
    if (!changed) {
      for (const { unpin } of kept) unpin();
      repository?.unpin();
      await changes.forget(context.scope, context.callId);
      return;
    }
    for (const { before, after, alongside, changes: made } of ended) {
      if (after.tree !== before.tree) snapshots.pin(after);
      const modes = formerModes(before, made);
      await this.#recordFolder(context, after, { modes, ...(alongside.length > 0 && { alongside }) });
    }
    if (repository === undefined || left === undefined) return;
    // A state that can't be told counts as the former one: undo is refused where it is another by then.
    const end = typeof left === "string" ? repository.before : left;
    pinRepository(snapshots, repository.folder, end);
    await this.#recordRepository(context, repository.folder, end);
  }

  #recordFolder(
    context: ToolContext,
    { folder, tree }: Snapshot,
    more: Pick<FormerSnapshot, "modes" | "alongside">,
  ): Promise<void> {
    return this.#journal.state(folder, { kind: "snapshot", folder, tree, ...more }, context);
  }

  #recordRepository(context: ToolContext, folder: string, state: RepositoryState): Promise<void> {
    return this.#journal.state(join(folder, ".git"), { kind: "repository", folder, state }, context);
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
  #listFolders(context: PathBounds): string[] {
    const { workspace } = this.#services;
    const folders = (context.allowedPaths ?? []).map((path) => workspace.locate(path, context).path);
    return Array.from(new Set(folders)).filter(
      (folder) => !folders.some((other) => other !== folder && isInside(other, folder)),
    );
  }
}

/** Protects the stored index of a repository from being pruned before its time. */
export function pinRepository(
  snapshots: Pick<Snapshots, "pin">,
  folder: string,
  { index }: RepositoryState,
): () => void {
  return index === null ? () => {} : snapshots.pin({ folder, tree: index.blob });
}

/** Former permission bits of changed files, where git does not record them or only they have changed. */
function formerModes({ folder }: Snapshot, changes: readonly SnapshotChange[]): Record<string, number> {
  return Object.fromEntries(
    changes.flatMap(({ path, before, after }) => {
      if (before?.type !== "file") return [];
      const unusual = before.mode !== 0o644 && before.mode !== 0o755;
      return unusual || (before.blob === after?.blob && before.mode !== after.mode)
        ? [[path.slice(folder.length + 1), before.mode]]
        : [];
    }),
  );
}
