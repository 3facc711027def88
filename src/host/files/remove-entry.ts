import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { HostError } from "../errors.ts";
import { anchorParent } from "./anchored-folder.ts";
import { toFault } from "./fault.ts";
import { findFileType } from "./file-status.ts";
import { specialPath } from "./path.ts";

/** Removes a file, a link or an empty folder; false where nothing is. */
export function removeEntry(path: string): boolean {
  const { folder, name } = anchorParent(path, "delete");
  using held = folder;
  try {
    const status = held.status(name);
    if (status === undefined) return false;
    held.verify();
    switch (findFileType(status)) {
      case "file":
      case "link":
        unlinkSync(held.at(name));
        return true;
      case "folder":
        rmdirSync(held.at(name));
        return true;
      case "other":
        throw specialPath(path, path);
    }
  } catch (error) {
    throw toFault(error, "delete", path);
  }
}

/** Throws FOLDER_NOT_EMPTY unless there is nothing in the folder. */
export function checkEmpty(path: string): void {
  const { folder, name } = anchorParent(path, "delete");
  using held = folder;
  let count: number;
  try {
    count = readdirSync(held.at(name)).length;
  } catch (error) {
    throw toFault(error, "delete", path);
  }
  if (count === 0) return;
  throw new HostError(
    "FOLDER_NOT_EMPTY",
    `Cannot delete "${path}": ${count} ${count === 1 ? "entry is" : "entries are"} in it; set recursive to delete them too`,
    { details: { path, entries: count } },
  );
}
