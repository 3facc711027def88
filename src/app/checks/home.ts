import { accessSync, constants, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage } from "../../base/index.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

/** haft's own folder: it is there, ours, and nobody else's to read. */
export function checkHome(folder: string): Finding {
  const stats = readStat(folder);
  if (stats === undefined) return ok("home", `${folder} is made when it is needed`);
  if (!stats.isDirectory())
    return failed("home", `${folder} is not a folder`, "move it away, or set HAFT_HOME");
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return failed("home", getErrorMessage(error), `make ${folder} yours, or set HAFT_HOME`);
  }
  if (isOpenToOthers(stats)) return warning("home", `${folder} can be read by others`, `chmod 700 ${folder}`);
  return ok("home", folder);
}

/** The bearer token of `haft serve` is a password. */
export function checkToken(folder: string): Finding {
  const file = join(folder, "token");
  const stats = readStat(file);
  if (stats === undefined) return ok("token", "`haft serve` makes it at its first start");
  if (isOpenToOthers(stats))
    return failed("token", `${file} can be read by others`, `rm ${file}; the next start makes a new one`);
  return ok("token", `${file} is yours alone`);
}

/** Undefined where there is nothing, or nothing that may be looked at: the folder's own check tells of that. */
function readStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Windows keeps no such bits. */
function isOpenToOthers(stats: Stats): boolean {
  return process.platform !== "win32" && (stats.mode & 0o077) !== 0;
}
