import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode } from "../../base/index.ts";
import { StoreError } from "../errors.ts";
import { refuseLost } from "../made-mark.ts";

/**
 * Sees to it that the database file is there, is this user's alone (0600, in folders made as 0700) and can be
 * written. An existing file is never opened here: to close it again would drop the locks this process has on it.
 */
export function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  refuseLost(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    createFile(path);
    return;
  }
  if (!found.isFile()) {
    throw new StoreError(
      "STORE_UNAVAILABLE",
      `Cannot open the store "${path}": it is not a file; choose another path`,
    );
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  accessSync(dirname(path), constants.W_OK);
  if ((found.mode & 0o077) !== 0 && process.platform !== "win32") chmodSync(path, 0o600);
}

/** Makes an empty file for this user alone, unless there is one. */
export function createFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    if (getErrorCode(thrown) !== "EEXIST") throw thrown;
  }
}
