import { type Dir, opendirSync, realpathSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { AnchoredFolder } from "./anchored-folder.ts";
import { isAbandonedName, isTemporaryName } from "./temporary-name.ts";

/** Entries of one folder that are looked at. */
const maxEntries = 20_000;
/** Folders that are looked at in all. */
const maxFolders = 200;

export interface SweepOptions {
  /** How many levels of folders below these are looked at too. @default 0 */
  readonly levels?: number;
}

/**
 * Removes the unfinished files that processes of haft left in these folders when they were killed; resolves to how many.
 * A file stays whose writer lives, that is another user's, or that is a link or a folder. Folders that can't be read are
 * passed over.
 */
export function removeAbandonedFiles(folders: Iterable<string>, { levels = 0 }: SweepOptions = {}): number {
  let removed = 0;
  let level = new Set(folders);
  let looked = 0;
  for (let depth = 0; depth <= levels; depth++) {
    const below = new Set<string>();
    for (const path of level) {
      if (++looked > maxFolders) return removed;
      try {
        removed += sweepFolder(path, depth < levels ? below : undefined);
      } catch {
        // It is gone, or not for us: then nothing of ours is in the way there.
      }
    }
    level = below;
  }
  return removed;
}

function sweepFolder(path: string, below: Set<string> | undefined): number {
  using folder = AnchoredFolder.open(realpathSync.native(path));
  const found: string[] = [];
  const listing = opendirSync(folder.self);
  try {
    eachEntry(listing, (name, isFolder) => {
      if (isTemporaryName(name)) found.push(name);
      else if (isFolder && below !== undefined && below.size < maxFolders) below.add(join(folder.path, name));
    });
  } finally {
    listing.closeSync();
  }
  return found.filter((name) => removeIfAbandoned(folder, name)).length;
}

function eachEntry(listing: Dir, take: (name: string, isFolder: boolean) => void): void {
  for (let looked = 0; looked < maxEntries; looked++) {
    const entry = listing.readSync();
    if (entry === null) return;
    take(entry.name, entry.isDirectory());
  }
}

function removeIfAbandoned(folder: AnchoredFolder, name: string): boolean {
  try {
    const status = folder.status(name);
    if (status?.isFile() !== true || status.nlink !== 1 || status.uid !== (process.getuid?.() ?? status.uid))
      return false;
    if (!isAbandonedName(name, status.mtimeMs)) return false;
    folder.verify();
    unlinkSync(folder.at(name));
    return true;
  } catch {
    return false;
  }
}
