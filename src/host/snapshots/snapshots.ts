import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { formatBytes, messageOf } from "../../base/index.ts";
import { isInside } from "../files/path.ts";
import { needsPruning, pruneSnapshots } from "./prune.ts";
import { findGit } from "./run-git.ts";
import { ShadowRepository, type Snapshot, type SnapshotChange, shadowName } from "./shadow-repository.ts";

/** Bounds of what snapshots take, and what they leave out. */
export interface SnapshotsOptions {
  /** Where they are kept: best haft's home, which no tool can read. */
  readonly folder: string;
  /** Where programs are looked for, beside the folders of the system. */
  readonly path?: string | undefined;
  /** Of a folder with more files there is no snapshot. @default 50,000 */
  readonly maxFiles?: number;
  /** Of a folder with more bytes there is no snapshot. @default 1 GiB */
  readonly maxBytes?: number;
  /** A snapshot that takes longer is given up. @default 20 s */
  readonly maxMs?: number;
  /** Names of folders that are left out, beside {@link leftOutFolders}. */
  readonly excluded?: readonly string[];
  /** Absolute paths that are left out. */
  readonly hidden?: readonly string[];
  /** @default 30 days */
  readonly maxAgeMs?: number;
  /** Of one folder's snapshots; the older half goes when they are larger. @default 2 GiB */
  readonly maxKeptBytes?: number;
}

/** Folders that programs fill and can fill again, by name. Snapshots never hold them, nor any `.git`. */
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
/** Why a folder has no snapshot is looked at anew after so long. */
const objectionLifeMs = 5 * 60 * 1000;

interface Known {
  readonly objection: string | undefined;
  readonly until: number;
}

/** Snapshots of project folders, in shadow repositories of git. Only what is named by a folder's path is shared. */
export class Snapshots {
  readonly folder: string;
  readonly #options: SnapshotsOptions;
  readonly #repositories = new Map<string, ShadowRepository>();
  readonly #known = new Map<string, Known>();

  constructor(options: SnapshotsOptions) {
    this.folder = options.folder;
    this.#options = options;
  }

  /** Names of the folders that no snapshot holds. */
  get excluded(): readonly string[] {
    return [...leftOutFolders, ...(this.#options.excluded ?? [])];
  }

  /** Why no snapshot of a folder can be taken, in a phrase; undefined where one can. */
  objection(folder: string): string | undefined {
    const known = this.#known.get(folder);
    if (known !== undefined && known.until > Date.now()) return known.objection;
    const objection = this.#findObjection(folder);
    const until = objection === undefined ? Number.POSITIVE_INFINITY : Date.now() + objectionLifeMs;
    this.#known.set(folder, { objection, until });
    return objection;
  }

  /** Keeps what the folder holds; a phrase where that can't be done. */
  async take(folder: string, signal?: AbortSignal): Promise<Snapshot | string> {
    const objection = this.objection(folder);
    if (objection !== undefined) return objection;
    try {
      const snapshot = await this.repository(folder).take(signal);
      this.#pruneLater(folder);
      return snapshot;
    } catch (error) {
      signal?.throwIfAborted();
      const reason = `no snapshot of ${folder} could be taken: ${messageOf(error)}`;
      this.#known.set(folder, { objection: reason, until: Date.now() + objectionLifeMs });
      return reason;
    }
  }

  /** Keeps a snapshot from being pruned before its time; what it returns ends that. */
  pin({ folder, tree }: Pick<Snapshot, "folder" | "tree">): () => void {
    return this.repository(folder).pin(tree);
  }

  /** A snapshot that was taken by an earlier process. */
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

  /** Looked at once: what comes later is bounded by the time that a snapshot may take. */
  #measure(root: string): string | undefined {
    const { maxFiles = 50_000, maxBytes = gibibyte } = this.#options;
    const leftOut = new Set([".git", ...this.excluded]);
    const hidden = new Set([...(this.#options.hidden ?? []), this.folder]);
    let [files, bytes] = [0, 0];
    const pending = [root];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      for (const entry of entriesOf(folder)) {
        const path = join(folder, entry.name);
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

  /** Off the way of any call: a day's first snapshot of a folder starts it. */
  #pruneLater(folder: string): void {
    const { path } = this.repository(folder);
    const program = this.#git(folder);
    if (program === undefined || !needsPruning(path, Date.now())) return;
    const { maxAgeMs = 30 * day, maxKeptBytes = 2 * gibibyte } = this.#options;
    pruneSnapshots(this.folder, path, { program, maxAgeMs, maxBytes: maxKeptBytes });
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
