import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { startFault } from "../process/start-fault.ts";

/** The path of a program, as the system would find it; undefined if it is not on this `PATH`. */
export function lookForProgram(name: string, path: string | undefined): string | undefined {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined;
  for (const folder of (path ?? "").split(delimiter)) {
    const file = join(folder, name);
    if (isAbsolute(folder) && isProgram(file)) return file;
  }
  return undefined;
}

/** The folders in which systems keep programs, whatever `PATH` says. */
export const usualFolders: readonly string[] = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
];

/** Whether a shell may find the program: on this `PATH`, where systems keep theirs, or by an entry that is no full path. */
export function mayFindProgram(name: string, path: string): boolean {
  const folders = path.split(delimiter);
  return (
    folders.some((folder) => !isAbsolute(folder)) ||
    lookForProgram(name, [...folders, ...usualFolders].join(delimiter)) !== undefined
  );
}

/**
 * Says of a program what starting it would have said: a shell that starts it for us would only say it to the reader of
 * its output.
 *
 * @throws {HostError} PROCESS_NOT_FOUND, PROCESS_NOT_EXECUTABLE
 */
export function checkProgram(file: string, { cwd, path }: { cwd: string; path: string | undefined }): string {
  if (file.includes("/")) {
    const place = resolve(cwd, file);
    if (isProgram(place)) return place;
    throw startFault({ file }, isThere(place) ? "EACCES" : "ENOENT");
  }
  const found = lookForProgram(file, path);
  if (found === undefined) throw startFault({ file, path }, "ENOENT");
  return found;
}

export function isProgram(path: string): boolean {
  try {
    // Most folders of a PATH don't have it, and Node would make an error of each.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
