import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { getErrorCode } from "../../base/index.ts";

/** A file that haft itself is made of, such as a page that it shows; never one of a user. */
export async function readOwnFile(file: URL): Promise<Uint8Array> {
  return readFile(file);
}

/**
 * All files of a folder that haft itself is made of, those in folders below it too, by their paths with slashes. Empty
 * if there is no such folder.
 */
export async function readOwnFolder(folder: URL): Promise<ReadonlyMap<string, Uint8Array>> {
  const root = fileURLToPath(folder);
  const files = new Map<string, Uint8Array>();
  try {
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      files.set(relative(root, file).replaceAll(sep, "/"), await readFile(file));
    }
  } catch (error) {
    if (getErrorCode(error) !== "ENOENT") throw error;
  }
  return files;
}
