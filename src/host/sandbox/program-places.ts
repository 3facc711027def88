import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fromHome } from "../files/from-home.ts";
import { canonical, contains, isFolder } from "./places.ts";

/** A folder with one of these is a program's own: what it consists of lies below. */
const roots = ["package.json", "pyproject.toml", "go.mod", "Cargo.toml", "deno.json"];

/**
 * What a command names in full, so that it can be read: folders as they are, and of a file the package it belongs to or,
 * without one, the folder it lies in. A home, or what holds one, is never among them.
 *
 * @param cwd where relative paths start; absent, those are passed over
 */
export function programPlaces(argv: readonly string[], cwd?: string): string[] {
  const places = argv.flatMap((word) => {
    const path = pathIn(word, cwd);
    const found = path === undefined ? undefined : canonical(path);
    return found === undefined ? [] : (placeOf(found) ?? []);
  });
  return Array.from(new Set(places));
}

function pathIn(word: string, cwd: string | undefined): string | undefined {
  const path = fromHome(word);
  if (isAbsolute(path)) return path;
  return cwd !== undefined && word.includes("/") ? join(cwd, word) : undefined;
}

function placeOf(path: string): string | undefined {
  if (isFolder(path)) return isTooMuch(path) ? undefined : path;
  // Packages lie beside those that they need.
  const [, packages] = /^(.*?[/\\]node_modules)[/\\]/.exec(path) ?? [];
  if (packages !== undefined) return packages;
  const around = dirname(path);
  for (let folder = around; !isTooMuch(folder); folder = dirname(folder)) {
    if (roots.some((root) => existsSync(join(folder, root)))) return folder;
  }
  return isTooMuch(around) ? path : around;
}

/** A folder that holds what is nobody's program: all of a home, of temporary files, of the machine. */
function isTooMuch(folder: string): boolean {
  const home = canonical(homedir()) ?? homedir();
  return (
    contains(folder, home) || dirname(folder) === folder || ["/tmp", "/var/tmp", "/run"].includes(folder)
  );
}
