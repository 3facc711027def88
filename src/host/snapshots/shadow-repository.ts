import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isRecord, parseJson } from "../../base/index.ts";
import { GitFailure, runGit, streamGit } from "./run-git.ts";
import { isNoText, sayNoText, UnsupportedRepository } from "./unsupported-repository.ts";

/** Permission bits that git does not record, by relative path. */
export type FileModes = Readonly<Record<string, number>>;

/** The state of a folder at one time. */
export interface Snapshot {
  readonly folder: string;
  /** Id of the git tree. */
  readonly tree: string;
  readonly modes: FileModes;
}

/** A file or link in a snapshot. */
export interface SnapshotEntry {
  readonly type: "file" | "link";
  readonly mode: number;
  /** Id of the git blob. */
  readonly blob: string;
}

/** A difference between two snapshots at one path. */
export interface SnapshotChange {
  /** Absolute path. */
  readonly path: string;
  readonly before: SnapshotEntry | undefined;
  readonly after: SnapshotEntry | undefined;
}

export interface ShadowOptions {
  /** Path of the shadow repository. */
  readonly repository: string;
  readonly folder: string;
  readonly program: string;
  /** Names of folders that are left out at any depth, and absolute paths. */
  readonly excluded: readonly string[];
  readonly maxMs: number;
}

const config = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = true
	symlinks = true
	logAllRefUpdates = false
	preloadIndex = true
`;
/** Git attributes that keep content byte for byte: no line ending is converted and no filter is run. */
const attributes = "* -text -crlf -ident -filter -working-tree-encoding -diff -merge\n";
const lockPauseMs = 50;
/** Age after which a lock is stale: no git process of haft runs longer. */
const staleLockMs = 60_000;
const lockTries = 60;
const readMs = 60_000;
/** Above so many recorded permissions, as with a umask of 002, each is not looked at by itself. */
const mostModes = 1000;
/** Paths that one run of git is given. */
const mostListed = 200;

/**
 * A git repository in haft's home that stores snapshots of one project folder. It does not use the project's own
 * repository, hooks, filters, ignore files or configuration.
 */
export class ShadowRepository {
  readonly #options: ShadowOptions;
  #modes: { readonly version: string; readonly modes: FileModes } | undefined;
  #kept: { readonly index: string; readonly tree: string } | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ShadowOptions) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.repository;
  }

  get isNew(): boolean {
    return !existsSync(join(this.path, "HEAD"));
  }

  /** Whether no file has been stored yet, so that the next snapshot reads all of them. */
  get isEmpty(): boolean {
    return !existsSync(join(this.path, "index"));
  }

  /** Takes a snapshot of the folder; concurrent calls run one after another. */
  take(signal?: AbortSignal): Promise<Snapshot> {
    const taken = this.#queue.then(() => this.#take(signal));
    this.#queue = taken.catch(() => {});
    return taken;
  }

  /** Lists the differences between two snapshots: by path, and then files of which only permissions differ. */
  async compare(before: Snapshot, after: Snapshot): Promise<readonly SnapshotChange[]> {
    const raw =
      before.tree === after.tree
        ? Buffer.alloc(0)
        : await this.#git(["diff-tree", "-r", "-z", "--raw", "--no-renames", before.tree, after.tree], {
            maxMs: readMs,
          });
    const differing = readRawDiff(raw);
    const known = new Set(differing.map(({ path }) => path));
    const paths = Object.keys({ ...before.modes, ...after.modes });
    const changed = paths.filter((path) => !known.has(path) && before.modes[path] !== after.modes[path]);
    const toChange = ({ path, from, to }: RawChange): SnapshotChange => ({
      path: join(this.#options.folder, path),
      before: toEntry(from, before.modes[path]),
      after: toEntry(to, after.modes[path]),
    });
    const alike = (await this.#listEntries(after.tree, changed)).map(toChange);
    return [...differing.map(toChange), ...alike.filter((one) => one.before?.mode !== one.after?.mode)];
  }

  /** Files of a tree by their paths, as changes from what they are. */
  async #listEntries(tree: string, paths: readonly string[]): Promise<readonly RawChange[]> {
    const entries: RawChange[] = [];
    for (let at = 0; at < paths.length; at += mostListed) {
      const some = paths.slice(at, at + mostListed);
      const listed = await this.#git(["ls-tree", "-z", tree, "--", ...some], { maxMs: readMs });
      for (const line of readPaths(listed)) {
        const [mode = "", , blob = "", path = ""] = /^(\d+) (\w+) (\w+)\t([^]*)$/.exec(line)?.slice(1) ?? [];
        entries.push({ path, from: { mode, blob }, to: { mode, blob } });
      }
    }
    return entries;
  }

  /** Reads the bytes of a file, or the target of a link. */
  readBlob(blob: string): AsyncIterable<Buffer> {
    return streamGit(["cat-file", "blob", blob], { ...this.#options, maxMs: readMs });
  }

  /** Stores bytes and returns the id of their blob. */
  async store(bytes: Uint8Array, signal?: AbortSignal): Promise<string> {
    if (this.isNew) this.#create();
    const hash = blobHash(bytes.length);
    hash.update(bytes);
    const id = hash.digest();
    const file = join(this.path, "objects", id.slice(0, 2), id.slice(2));
    if (!existsSync(file)) await this.#git(["hash-object", "-w", "--stdin"], { input: bytes, signal });
    // Pruning goes by the age of the file.
    else utimesSync(file, new Date(), new Date());
    return id;
  }

  /** Runs a git command that reads objects of the project's own repository, but nothing else of it. */
  readObjects(args: readonly string[], run: PartialRun): Promise<Buffer> {
    if (this.isNew) this.#create();
    const objects = join(this.#options.folder, ".git", "objects");
    return this.#git(args, { ...run, objects, maxMs: readMs });
  }

  /** Whether a snapshot is still stored. */
  async holds(tree: string): Promise<boolean> {
    return this.#git(["cat-file", "-e", `${tree}^{tree}`], { maxMs: readMs }).then(
      () => true,
      () => false,
    );
  }

  /** Protects a snapshot from being pruned before its time; the returned function removes the protection. */
  pin(tree: string): () => void {
    const folder = join(this.path, "refs", "snapshots");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${Date.now()}-${randomBytes(6).toString("hex")}`);
    writeFileSync(file, `${tree}\n`, { mode: 0o600 });
    return () => rmSync(file, { force: true });
  }

  /** Permission bits recorded with the last snapshot, which another program may have taken. */
  get modes(): FileModes {
    const version = this.#readVersion("modes.json");
    if (this.#modes?.version !== version) this.#modes = { version, modes: this.#readModes() };
    return this.#modes.modes;
  }

  async #take(signal: AbortSignal | undefined): Promise<Snapshot> {
    if (this.isNew) this.#create();
    const git = { signal };
    const [differing, others] = await Promise.all([
      this.#git(["diff-files", "-z", "--raw", "--ignore-submodules=all"], git),
      this.#git(["ls-files", "-z", "--others", ...this.#leftOut()], git),
    ]);
    const odd = readPaths(others).find(isNoText);
    if (odd !== undefined) throw new UnsupportedRepository(sayNoText(join(this.#options.folder, odd)));
    const changed = readRawDiff(differing).map(({ path }) => path);
    await this.#update(new Set([...changed, ...this.#findOtherModes(), ...readPaths(others)]), signal);
    return { folder: this.#options.folder, tree: await this.#writeTree(signal), modes: this.modes };
  }

  /** Files whose permissions are no longer as recorded; git knows the time of such a change to the second only. */
  #findOtherModes(): readonly string[] {
    const recorded = Object.entries(this.modes);
    if (recorded.length > mostModes) return [];
    return recorded.flatMap(([path, mode]) => {
      const now = readStats(join(this.#options.folder, path));
      return now !== undefined && (now.mode & 0o7777) !== mode ? [path] : [];
    });
  }

  /** Updates the index for these paths: adds what exists, removes what does not. */
  async #update(paths: ReadonlySet<string>, signal: AbortSignal | undefined): Promise<void> {
    const added: string[] = [];
    const gone: string[] = [];
    const modes: Record<string, number> = { ...this.modes };
    for (const path of paths) {
      // A repository below: git names its folder.
      if (path.endsWith("/")) continue;
      const status = readStats(join(this.#options.folder, path));
      delete modes[path];
      if (status?.isFile() === true || status?.isSymbolicLink() === true) added.push(path);
      else gone.push(path);
      const mode = (status?.mode ?? 0) & 0o7777;
      if (status?.isFile() === true && mode !== 0o644 && mode !== 0o755) modes[path] = mode;
    }
    const none = "0".repeat(40);
    const removals = gone.map((path) => `0 ${none}\t${path}\0`).join("");
    if (gone.length > 0)
      await this.#locked(["update-index", "-z", "--index-info"], { input: removals, signal });
    if (added.length > 0) {
      const input = added.map((path) => `${path}\0`).join("");
      await this.#locked(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
        input,
        signal,
      });
    }
    if (JSON.stringify(modes) !== JSON.stringify(this.modes))
      this.#write("modes.json", JSON.stringify(modes));
  }

  /** Writes the tree, or returns the last one if the index has not changed since. */
  async #writeTree(signal: AbortSignal | undefined): Promise<string> {
    if (this.#kept?.index === this.#readVersion("index")) return this.#kept.tree;
    const tree = (await this.#git(["write-tree"], { signal })).toString().trim();
    this.#kept = { index: this.#readVersion("index"), tree };
    return tree;
  }

  /** Another value whenever somebody has written the file of the repository anew. */
  #readVersion(name: string): string {
    const status = lstatSync(join(this.path, name), { bigint: true, throwIfNoEntry: false });
    return status === undefined ? "none" : `${status.ino}:${status.size}:${status.mtimeNs}`;
  }

  /** Options of git by which it leaves folders out: as they are configured now, whatever was left out before. */
  #leftOut(): readonly string[] {
    const { excluded, folder } = this.#options;
    const below = (path: string) => `/${path.slice(folder.length + 1)}/`;
    return excluded.flatMap((name) => {
      if (!name.startsWith("/")) return [`--exclude=${escapePattern(name)}/`];
      return name.startsWith(`${folder}/`) ? [`--exclude=${escapePattern(below(name))}`] : [];
    });
  }

  #create(): void {
    const { folder } = this.#options;
    for (const name of ["objects", "refs", "info"])
      mkdirSync(join(this.path, name), { recursive: true, mode: 0o700 });
    this.#write("config", config);
    this.#write("info/attributes", attributes);
    this.#write("folder", `${folder}\n`);
    this.#write("pruned", "");
    // The last: what has it is whole.
    this.#write("HEAD", "ref: refs/heads/none\n");
  }

  #readModes(): FileModes {
    try {
      const read = parseJson(readFileSync(join(this.path, "modes.json"), "utf8"));
      if (!isRecord(read)) return {};
      return Object.fromEntries(
        Object.entries(read).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
      );
    } catch {
      return {};
    }
  }

  #write(name: string, text: string): void {
    const draft = join(this.path, `${basename(name)}.${randomBytes(6).toString("hex")}`);
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, join(this.path, name));
  }

  /** Runs a git command that needs the index lock, retrying while another process holds it. */
  async #locked(args: readonly string[], run: PartialRun): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#git(args, run);
        return;
      } catch (error) {
        const isHeld = error instanceof GitFailure && !error.timedOut && error.message.includes("index.lock");
        if (!isHeld || tries === lockTries) {
          this.#clearDrafts();
          throw error;
        }
        this.#removeStaleLock();
        await delay(lockPauseMs);
      }
    }
  }

  #removeStaleLock(): void {
    const lock = join(this.path, "index.lock");
    const status = lstatSync(lock, { throwIfNoEntry: false });
    if (status !== undefined && Date.now() - status.mtimeMs > staleLockMs) rmSync(lock, { force: true });
  }

  /** Removes partly written objects that a stopped git left behind. */
  #clearDrafts(): void {
    for (const name of readdirSync(join(this.path, "objects"))) {
      const folder = join(this.path, "objects", name);
      if (name.length !== 2) continue;
      for (const file of readdirSync(folder))
        if (file.startsWith("tmp_obj_")) rmSync(join(folder, file), { force: true });
    }
  }

  #git(args: readonly string[], run: PartialRun): Promise<Buffer> {
    return runGit(args, { ...this.#options, ...run });
  }
}

interface PartialRun {
  readonly input?: string | Uint8Array;
  readonly objects?: string;
  readonly signal?: AbortSignal | undefined;
  readonly maxMs?: number;
}

/** Name of a folder's shadow repository, derived from its path. */
export function shadowName(folder: string): string {
  return `${createHash("sha256").update(folder).digest("hex").slice(0, 24)}.git`;
}

/** Computes a git blob id: the SHA-1 over a header and the bytes. */
export function blobHash(size: number): { update(data: Uint8Array): void; digest(): string } {
  const hash = createHash("sha1").update(`blob ${size}\0`);
  return { update: (data) => void hash.update(data), digest: () => hash.digest("hex") };
}

interface RawSide {
  readonly mode: string;
  readonly blob: string;
}

interface RawChange {
  readonly path: string;
  readonly from: RawSide;
  readonly to: RawSide;
}

/** Parses `diff --raw -z`: `:100644 100644 <id> <id> M`, then the path, each ended by a NUL. */
function readRawDiff(raw: Buffer): RawChange[] {
  const fields = readPaths(raw);
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [from = "", to = "", fromBlob = "", toBlob = ""] = (fields[at] as string).slice(1).split(" ");
    const path = fields[at + 1] as string;
    changes.push({ path, from: { mode: from, blob: fromBlob }, to: { mode: to, blob: toBlob } });
  }
  return changes;
}

function readPaths(raw: Buffer): string[] {
  return raw.toString().split("\0").slice(0, -1);
}

function toEntry({ mode, blob }: RawSide, kept: number | undefined): SnapshotEntry | undefined {
  if (mode === "120000") return { type: "link", mode: 0, blob };
  if (!mode.startsWith("100")) return undefined;
  return { type: "file", mode: kept ?? (mode === "100755" ? 0o755 : 0o644), blob };
}

function escapePattern(pattern: string): string {
  return pattern.replace(/[\\*?[\]!#]/g, "\\$&");
}

/** Reads a path's status; undefined if nothing is there or one of its parents is a file. */
function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
