import { type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { canonical, isFolder, kindAt } from "../places.ts";
import { parseGitConfig } from "./git-config.ts";
import { findCommonFolder, follow, type IsWritable, pathIn, readPlain } from "./git-doors.ts";
import { mayNameRepositories, readIndex } from "./git-index.ts";
import { listSubmodules } from "./git-places.ts";

/**
 * Folders of a root that are looked into, the nearest first. To look again costs some microseconds each, before and
 * after each command; so of a larger workspace, what lies deepest is not seen, but where an index names it.
 */
const mostFolders = 2000;
const mostRepositories = 300;
const mostLinks = 2000;
const mostIndexBytes = 64 * 1024 * 1024;
/** The time after a change of a folder within which a later change may bear the same time. */
const settledMs = 2000;

interface Listing {
  readonly changedAt: number;
  readonly isSettled: boolean;
  readonly folders: readonly string[];
  readonly links: readonly string[];
  /** It has a `.git`. */
  readonly hasGit: boolean;
  /** It is what else is in a `.git`. */
  readonly isGit: boolean;
}

/** What was found of a root. */
export interface Repositories {
  /** Git folders, canonical. */
  readonly folders: readonly string[];
  /** Folders of whose `.git` it can't be told where it leads. */
  readonly unclear: readonly string[];
}

/**
 * Finds the repositories below a folder, in which commands may have made what they like. What a folder holds is
 * remembered for as long as the folder is not changed. `node_modules` is left out, in which nobody uses git, but for where
 * a link leads, and for what an index names: there git goes by itself.
 */
export class GitWalk {
  #listings = new Map<string, Listing>();
  /** What was named, by git folder. */
  readonly #named = new Map<string, Named>();

  /**
   * @param root canonical
   * @param isWritable only there is anything looked at
   */
  find(root: string, isWritable: IsWritable): Repositories {
    const listings = new Map<string, Listing>();
    const found = new Found(isWritable);
    // What is added meanwhile is looked at too.
    const queue = new Set([root]);
    let left = mostFolders;
    let leftLinks = mostLinks;
    for (const folder of queue) {
      if (left-- === 0) break;
      const listing = this.#list(folder);
      if (listing === undefined) continue;
      listings.set(folder, listing);
      for (const name of listing.folders) {
        const path = join(folder, name);
        if (isWritable(path)) queue.add(path);
      }
      for (const name of listing.links) {
        if (leftLinks-- <= 0) break;
        const target = canonical(join(folder, name));
        if (target !== undefined && isWritable(target) && isFolder(target)) queue.add(target);
      }
      if (listing.hasGit) found.addAt(folder);
      if (listing.isGit) found.add(folder, folder);
    }
    this.#listings = listings;
    found.addNamed((git) => this.#namedIn(git));
    return found;
  }

  /** A new index comes as a new file. */
  #namedIn(git: string): readonly string[] {
    const { ino, ctimeMs } = statSync(join(git, "index"), { throwIfNoEntry: false }) ?? {};
    const sign = `${ino} ${ctimeMs}`;
    let named = this.#named.get(git);
    if (named?.sign !== sign) this.#named.set(git, (named = { sign, paths: repositoriesNamed(git) }));
    return named.paths;
  }

  #list(folder: string): Listing | undefined {
    try {
      const { ctimeMs: changedAt } = lstatSync(folder);
      const known = this.#listings.get(folder);
      if (known?.isSettled === true && known.changedAt === changedAt) return known;
      const isSettled = Math.abs(Date.now() - changedAt) > settledMs;
      const entries = readdirSync(folder, { withFileTypes: true });
      const names = new Set(entries.map(({ name }) => name));
      return {
        changedAt,
        isSettled,
        folders: listFolders(entries),
        links: entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : [])),
        hasGit: names.has(".git"),
        // What is not here may be where `commondir` says.
        isGit: names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs"))),
      };
    } catch {
      return undefined;
    }
  }
}

/** What an index names. */
interface Named {
  readonly sign: string;
  readonly paths: readonly string[];
}

function listFolders(entries: readonly Dirent[]): string[] {
  return entries.flatMap((entry) =>
    entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules" ? [entry.name] : [],
  );
}

/** Git folders, with the folder in which each is used. */
class Found implements Repositories {
  readonly unclear: string[] = [];
  readonly #isWritable: IsWritable;
  readonly #folders = new Map<string, string>();

  constructor(isWritable: IsWritable) {
    this.#isWritable = isWritable;
  }

  get folders(): string[] {
    return Array.from(this.#folders.keys());
  }

  add(git: string | undefined, folder: string): void {
    if (git === undefined || !this.#isWritable(git) || kindAt(git) !== "folder") return;
    if (this.#folders.size < mostRepositories && !this.#folders.has(git)) this.#folders.set(git, folder);
  }

  /** That of a folder: its `.git`, or where that leads. */
  addAt(folder: string): void {
    const path = join(folder, ".git");
    const isLink = kindAt(path) === "link";
    if (isLink || kindAt(path) === "folder") {
      const target = canonical(path);
      if (target !== undefined && isFolder(target)) this.add(target, folder);
      else if (isLink) this.unclear.push(folder);
      return;
    }
    const bytes = readPlain(path);
    const target = pathIn(bytes, "gitdir: ");
    if (target !== undefined) this.add(follow(folder, target), folder);
    else if (bytes?.toString("latin1", 0, 7) === "gitdir:") this.unclear.push(folder);
  }

  /** Those that others have: as submodules, in an index, or as where most things are. */
  addNamed(namedIn: (git: string) => readonly string[]): void {
    // What is added meanwhile is looked at too.
    for (const [git, folder] of this.#folders) {
      this.add(findCommonFolder(git), folder);
      for (const submodule of listSubmodules(git)) this.add(submodule, submodule);
      for (const path of namedIn(git)) {
        const place = canonical(join(folder, path));
        if (place !== undefined && this.#isWritable(place)) this.addAt(place);
      }
    }
  }
}

function repositoriesNamed(git: string): string[] {
  const indexes = ["index", ...sharedIndexes(git)].flatMap(
    (name) => readPlain(join(git, name), { most: mostIndexBytes, followLink: true }) ?? [],
  );
  if (!indexes.some(mayNameRepositories)) return [];
  const config = readPlain(join(findCommonFolder(git) ?? git, "config"))?.toString() ?? "";
  const isLong = parseGitConfig(config).some(
    ({ name, value }) => name === "extensions.objectformat" && value === "sha256",
  );
  const entries = indexes.flatMap((index) => Array.from(readIndex(index, isLong ? 32 : 20)));
  // Of those in two parts, it may be any.
  const isSplit = entries.some(({ name, isRepository }) => isRepository && name === "");
  return entries.flatMap(({ name, isRepository }) =>
    name !== "" && (isRepository || isSplit) ? [name] : [],
  );
}

function sharedIndexes(git: string): string[] {
  try {
    return readdirSync(git).filter((name) => name.startsWith("sharedindex."));
  } catch {
    return [];
  }
}
