import { createHash } from "node:crypto";
import { cutHead, showInvisible } from "../../../../base/index.ts";
import { MemoryFileError } from "./errors.ts";

const maxPathChars = 160;
const maxFolders = 4;
/** Windows takes these for devices, whatever follows the first dot. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A path in the memory folder, as it may be written on every system: names with "/" between them, below the folder,
 * the last of a Markdown file. A leading "./" is left out.
 *
 * @throws {MemoryFileError} MEMORY_PATH
 */
export function memoryPath(given: string): string {
  const path = given.replace(/^(?:\.\/)+/, "");
  const fault = findFault(path);
  if (fault === undefined) return path;
  throw new MemoryFileError(
    "MEMORY_PATH",
    `Cannot use the path "${showInvisible(cutHead(given, 100))}": ${fault}; a memory file is named like facts/user.md`,
  );
}

/** Whether an entry of the folder is a memory file; swap files, backups and hidden files are not. */
export function isMemoryPath(path: string): boolean {
  return findFault(path) === undefined;
}

/** Whether a path is too short to tell anybody what to do, whoever chose it. */
export function saysLittle(path: string): boolean {
  return path.length <= 60 && path.split(/[^\p{L}\p{N}]+/u).length <= 7;
}

/** Whether a folder may hold memory files. */
export function isMemoryFolder(path: string): boolean {
  const names = path.split("/");
  return names.length <= maxFolders && names.every((name) => faultOfName(name) === undefined);
}

function findFault(path: string): string | undefined {
  if (path.length > maxPathChars) return `it has more than ${maxPathChars} characters`;
  if (path.startsWith("/")) return "it is absolute, and memory files lie in the memory folder";
  const names = path.split("/");
  if (names.length > maxFolders + 1) return `it leads through more than ${maxFolders} folders`;
  for (const name of names) {
    const fault = faultOfName(name);
    if (fault !== undefined) return fault;
  }
  return path.endsWith(".md") && !path.endsWith("/.md") ? undefined : 'it does not end in ".md"';
}

function faultOfName(name: string): string | undefined {
  if (name === "") return "it holds an empty name";
  if (name === "..") return '".." would lead out of the memory folder';
  if (name.startsWith("~")) return '"~" is no home folder here';
  if (name.startsWith(".")) return `"${showInvisible(name)}" is hidden`;
  if (name !== showInvisible(name) || /[\t\n]/.test(name)) return "it holds a character that is not seen";
  if (/[\\:*?"<>|]/.test(name)) return "it holds a character that no Windows name may have";
  if (/[. ]$/.test(name) || name.startsWith(" "))
    return "a name in it begins or ends in a blank, or ends in a dot";
  if (device.test(name)) return `"${name}" is a device on Windows`;
  if (name !== name.normalize("NFC")) return "its letters are not in Unicode's composed form (NFC)";
  return undefined;
}

/** The name of a scope's own folder: readable, and no two scopes have the same, whatever the file system does with case. */
export function memoryFolderName(scope: string): string {
  const name = Array.from(scope, (char) => (/[a-z0-9_-]/.test(char) ? char : escaped(char))).join("");
  if (name !== "" && name.length <= 120 && !device.test(name)) return name;
  return `=${createHash("sha256").update(scope).digest("hex").slice(0, 40)}`;
}

function escaped(char: string): string {
  return `+${(char.codePointAt(0) as number).toString(16)}+`;
}
