import { mkdirSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AnchoredFolder, entryName } from "./anchored-folder.ts";
import { systemCode, toFault } from "./fault.ts";

export interface Place {
  readonly folder: AnchoredFolder;
  readonly name: string;
  /** Folders that were made for it, outermost first. */
  readonly madeFolders: readonly string[];
}

/** Anchors the folder that `path` is to be in, making it and those above it where they are missing. */
export function makePlace(path: string, action: string): Place {
  const missing = [];
  let existing: AnchoredFolder | undefined;
  for (let at = dirname(path); existing === undefined; at = dirname(at)) {
    try {
      existing = AnchoredFolder.open(at);
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || dirname(at) === at) throw toFault(error, action, path);
      missing.push(basename(at));
    }
  }
  if (missing.length === 0) return { folder: existing, name: entryName(path), madeFolders: [] };
  return makeMissing(existing, missing.reverse(), path, action);
}

function makeMissing(
  existing: AnchoredFolder,
  missing: readonly string[],
  path: string,
  action: string,
): Place {
  const madeFolders: string[] = [];
  let folder = existing;
  try {
    for (const name of missing) {
      using above = folder;
      const inner = join(above.path, name);
      try {
        mkdirSync(above.at(name));
        madeFolders.push(inner);
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw error;
      }
      folder = AnchoredFolder.open(inner);
    }
    return { folder, name: entryName(path), madeFolders };
  } catch (error) {
    for (const made of madeFolders.toReversed()) rmdirSync(made);
    throw toFault(error, action, path);
  }
}
