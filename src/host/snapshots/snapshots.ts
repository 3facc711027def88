import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { formatBytes, getErrorMessage } from "../../base/index.ts";
import { isInside } from "../files/path.ts";
import { listEntries } from "../sandbox/folder-search.ts";
import { checkFinished, checkGitTargets } from "./git-objection.ts";
import { hasObjects } from "./git-objects.ts";
import type { GitTargets } from "./git-targets.ts";
import { needsPruning, pruneSnapshots } from "./prune.ts";
import { type RepositoryState, readPackedRefs, readRepository } from "./repository-state.ts";
import { findGit, GitFailure } from "./run-git.ts";
import { ShadowRepository, type Snapshot, type SnapshotChange, shadowName } from "./shadow-repository.ts";
import { isNoText, sayNoText, UnsupportedRepository } from "./unsupported-repository.ts";

/** Limits of snapshots and the paths they leave out. */
export interface SnapshotsOptions {
  /** Folder that stores the snapshots; best in haft's home, which no tool can read. */
  readonly folder: string;
  /** Search path for git, in addition to the system's folders. */
  readonly path?: string | undefined;
  /** A folder with more files gets no snapshot. @default 50,000 */
  readonly maxFiles?: number;
  /** A folder with more bytes gets no snapshot. @default 1 GiB */
  readonly maxBytes?: number;
  /** A snapshot that takes longer is abandoned. @default 20 s */
  readonly maxMs?: number;
  /** Names of further folders to leave out, in addition to {@link leftOutFolders}. */
  readonly excluded?: readonly string[];
  /** Absolute paths that are left out. */
  readonly hidden?: readonly string[];
  /** @default 30 days */
  readonly maxAgeMs?: number;
  /** Total size of one folder's snapshots; above it the older half is removed. @default 2 GiB */
  readonly maxKeptBytes?: number;
}

/** Names of folders that programs generate and can regenerate. Snapshots leave them out, and every `.git`. */
export const leftOutFolders: readonly string[] = [
  "node_modules",
  "bower_components",
  ".venv",
  "venv",
  "__pycache__",
  ".tox",
  ".nox",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  "target",
  ".gradle",
  ".next",
  ".nuxt",
  ".turbo",
  ".parcel-cache",
  ".cache",
];

const day = 24 * 60 * 60 * 1000;
const gibibyte = 1024 ** 3;
/** How long the reason why a folder gets no snapshot is cached. */
const objectionLifeMs = 5 * 60 * 1000;

interface Known {
  readonly objection: string | undefined;
  readonly until: number;
}

/** Snapshots of project folders, one shadow git repository for each folder. */
export class Snapshots {
  readonly folder: string;
  readonly #options: SnapshotsOptions;
  readonly #repositories = new Map<string, ShadowRepository>();
  readonly #known = new Map<string, Known>();

  constructor(options: SnapshotsOptions) {
    this.folder = options.folder;
    this.#options = options;
  }

  /** Names of the folders that snapshots leave out. */
  get excluded(): readonly string[] {
    return [...leftOutFolders, ...(this.#options.excluded ?? [])];
  }

  /** Explains in a phrase why a folder cannot have a snapshot; undefined if it can. */
  objection(folder: string): string | undefined {
    const known = this.#known.get(folder);
    if (known !== undefined && known.until > Date.now()) return known.objection;
    const objection = this.#findObjection(folder);
    const until = objection === undefined ? Number.POSITIVE_INFINITY : Date.now() + objectionLifeMs;
    this.#known.set(folder, { objection, until });
    return objection;
  }

  /** Whether a snapshot of the folder holds what is, or will be, at an absolute path below it. */
  covers(folder: string, path: string): boolean {
    if (!isInside(folder, path) || path === folder) return false;
    const leftOut = new Set([".git", ...this.excluded]);
    const hidden = new Set([...(this.#options.hidden ?? []), this.folder]);
    for (let at = dirname(path); at !== folder; at = dirname(at)) {
      if (leftOut.has(basename(at)) || hidden.has(at)) return false;
      // Git passes over a repository below another one.
      if (existsSync(join(at, ".git"))) return false;
    }
    return true;
  }

  /** Whether the next snapshot of the folder is the first one, which reads every file. */
  isFirst(folder: string): boolean {
    return this.objection(folder) === undefined && this.repository(folder).isEmpty;
  }

  /** Takes a snapshot of the folder; returns a phrase with the reason if that fails. */
  async take(folder: string, signal?: AbortSignal): Promise<Snapshot | string> {
    const objection = this.objection(folder);
    if (objection !== undefined) return objection;
    try {
      const snapshot = await this.repository(folder).take(signal);
      this.#pruneLater(folder);
      return snapshot;
    } catch (error) {
      signal?.throwIfAborted();
      const reason = `no snapshot of ${folder} could be taken: ${getErrorMessage(error)}`;
      this.#known.set(folder, { objection: reason, until: Date.now() + objectionLifeMs });
      return reason;
    }
  }

  /** Protects a snapshot from being pruned before its time; the returned function removes the protection. */
  pin({ folder, tree }: Pick<Snapshot, "folder" | "tree">): () => void {
    return this.repository(folder).pin(tree);
  }

  /** Describes a snapshot that an earlier process took. */
  find(folder: string, tree: string): Snapshot {
    return { folder, tree, modes: this.repository(folder).modes };
  }

  compare(before: Snapshot, after: Snapshot): Promise<readonly SnapshotChange[]> {
    return this.repository(before.folder).compare(before, after);
  }

  holds({ folder, tree }: Pick<Snapshot, "folder" | "tree">): Promise<boolean> {
    return this.repository(folder).holds(tree);
  }

  readBlob(folder: string, blob: string): AsyncIterable<Buffer> {
    return this.repository(folder).readBlob(blob);
  }

  /**
   * Explains in a phrase why it could not be undone that git commands in a folder, the root of a work tree, go to these
   * commits; undefined if it could.
   */
  async objectionToGit(
    folder: string,
    targets: GitTargets,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const objection = this.objection(folder);
    if (objection !== undefined) return objection;
    const leftOut = new Set(this.excluded);
    const hidden = new Set([...(this.#options.hidden ?? []), this.folder]);
    return explain(signal, async () => {
      await checkGitTargets({ folder, shadow: this.repository(folder), leftOut, hidden }, targets, signal);
      return undefined;
    });
  }

  /**
   * Records the state of the git repository of a folder, with the refs of these full names among it; returns a phrase with
   * the reason if it can't be recorded.
   */
  async takeRepository(
    folder: string,
    refs: readonly string[],
    signal?: AbortSignal,
  ): Promise<RepositoryState | string> {
    return explain(signal, async () => {
      const git = join(folder, ".git");
      checkFinished(git);
      const { index, ...state } = readRepository(git, refs);
      if (index === undefined) return { ...state, index: null };
      const blob = await this.repository(folder).store(index.bytes, signal);
      return { ...state, index: { blob, entries: index.digest } };
    });
  }

  /** Whether the repository still has all commits and files that its former state names. */
  hasObjects(folder: string, state: RepositoryState): Promise<boolean> {
    return hasObjects(this.repository(folder), state);
  }

  /** Whether the repository keeps a ref among its packed ones. */
  isPacked(folder: string, ref: string): boolean {
    return readPackedRefs(join(folder, ".git")).has(ref);
  }

  repository(folder: string): ShadowRepository {
    let repository = this.#repositories.get(folder);
    if (repository === undefined) {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const { maxMs = 20_000, hidden = [] } = this.#options;
      repository = new ShadowRepository({
        repository: join(this.folder, shadowName(folder)),
        folder,
        program: this.#git(folder) ?? "git",
        excluded: [...this.excluded, ...hidden, this.folder],
        maxMs,
      });
      this.#repositories.set(folder, repository);
    }
    return repository;
  }

  #git(folder: string): string | undefined {
    return findGit(this.#options.path, (file) => isInside(folder, file));
  }

  #findObjection(folder: string): string | undefined {
    if (process.platform === "win32") return "there are no snapshots on Windows";
    if (this.#git(folder) === undefined) return "git is not installed, so there is no snapshot";
    if (dirname(folder) === folder || isInside(folder, homedir()))
      return `${folder} is too wide for a snapshot: it holds your home folder`;
    return this.#measure(folder);
  }

  /** Checks the size of a folder once; later growth is bounded by the time that a snapshot may take. */
  #measure(root: string): string | undefined {
    const { maxFiles = 50_000, maxBytes = gibibyte } = this.#options;
    const leftOut = new Set([".git", ...this.excluded]);
    const hidden = new Set([...(this.#options.hidden ?? []), this.folder]);
    let [files, bytes] = [0, 0];
    const pending = [root];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      for (const entry of listEntries(folder)) {
        const path = join(folder, entry.name);
        if (isNoText(entry.name)) return sayNoText(path);
        if (entry.isDirectory()) {
          if (!leftOut.has(entry.name) && !hidden.has(path)) pending.push(path);
          continue;
        }
        files++;
        bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
        if (files > maxFiles) return `${root} has more than ${maxFiles} files, too many for a snapshot`;
        if (bytes > maxBytes)
          return `${root} holds more than ${formatBytes(maxBytes)}, too much for a snapshot`;
      }
    }
    return undefined;
  }

  /** Prunes in the background, so that no call waits for it; the first snapshot of each day starts it. */
  #pruneLater(folder: string): void {
    const { path } = this.repository(folder);
    const program = this.#git(folder);
    if (program === undefined || !needsPruning(path, Date.now())) return;
    const { maxAgeMs = 30 * day, maxKeptBytes = 2 * gibibyte } = this.#options;
    pruneSnapshots(this.folder, path, { program, maxAgeMs, maxBytes: maxKeptBytes });
  }
}

/** Runs something; returns the reason in a phrase if git fails or its repository is of another kind. */
async function explain<Result>(
  signal: AbortSignal | undefined,
  run: () => Promise<Result>,
): Promise<Result | string> {
  try {
    return await run();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnsupportedRepository || error instanceof GitFailure) return error.message;
    throw error;
  }
}
