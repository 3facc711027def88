import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";

/** Whether other users may enter the folder for temporary files, in which tests work. */
export function isTemporaryFolderOpen(): boolean {
  return isOpenToAll(realpathSync(tmpdir()));
}

function isOpenToAll(folder: string): boolean {
  const parent = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpenToAll(parent));
}
