import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What an entry is: what is looked for, a folder to look into, or neither. */
export type Sight = "found" | "enter" | "pass";

export interface FolderSearchOptions {
  readonly look: (path: string, entry: Dirent) => Sight;
  /** Folders looked into below one root. Those near to it come first. */
  readonly mostFolders: number;
}

export interface Findings {
  readonly found: readonly string[];
  /** Folders that were one too many. */
  readonly missed: readonly string[];
}

interface Listing {
  readonly found: readonly string[];
  readonly enter: readonly string[];
  readonly changedAt: number;
  readonly listedAt: number;
}

/** Calls that follow one another look once. */
const findingsLifeMs = 10_000;
/** A name that comes or goes changes its folder's time; what else may change, such as a mode, is seen after this. */
const listingLifeMs = 5 * 60_000;
const mostKept = 20_000;

/** Looks through folders, and remembers what was in those that have not changed since. No link is followed. */
export class FolderSearch {
  readonly #options: FolderSearchOptions;
  readonly #kept = new Map<string, Listing>();
  readonly #findings = new Map<string, { readonly findings: Findings; readonly at: number }>();

  constructor(options: FolderSearchOptions) {
    this.#options = options;
  }

  search(root: string): Findings {
    const last = this.#findings.get(root);
    if (last !== undefined && Date.now() - last.at < findingsLifeMs) return last.findings;
    const findings = this.#look(root);
    this.#findings.set(root, { findings, at: Date.now() });
    return findings;
  }

  #look(root: string): Findings {
    const found: string[] = [];
    const folders = [root];
    let next = 0;
    for (; next < folders.length && next < this.#options.mostFolders; next++) {
      const listing = this.#list(folders[next] as string);
      found.push(...listing.found);
      folders.push(...listing.enter);
    }
    return { found, missed: folders.slice(next) };
  }

  #list(folder: string): Listing {
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const kept = this.#kept.get(folder);
    if (kept?.changedAt === changedAt && Date.now() - kept.listedAt < listingLifeMs) return kept;
    if (this.#kept.size >= mostKept) this.#kept.clear();
    const listing = { ...this.#read(folder), changedAt, listedAt: Date.now() };
    this.#kept.set(folder, listing);
    return listing;
  }

  #read(folder: string): Pick<Listing, "found" | "enter"> {
    const found: string[] = [];
    const enter: string[] = [];
    for (const entry of listEntries(folder)) {
      const path = join(folder, entry.name);
      const sight = this.#options.look(path, entry);
      if (sight === "found") found.push(path);
      if (sight === "enter") enter.push(path);
    }
    return { found, enter };
  }
}

/** A folder that can't be listed can't be read by a command either. */
export function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
