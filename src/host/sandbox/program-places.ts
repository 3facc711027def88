import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fromHome } from "../files/from-home.ts";
import { lookForProgram } from "./find-program.ts";
import { canonical, contains, isFolder } from "./places.ts";

/** A folder with one of these is a program's own: what it consists of lies below. */
const roots = ["package.json", "pyproject.toml", "go.mod", "Cargo.toml", "deno.json"];

/**
 * What a command names in full, so that it can be read: folders as they are, and of a file the package it belongs to or,
 * without one, the folder it lies in. A home, or what holds one, is never among them.
 *
 * @param cwd where relative paths start; absent, those are passed over
 * @param path the `PATH` by which a program without a folder is found: if that is a link out of its folder, such as those in
 * `node_modules/.bin`, what it leads to is read too
 */
export function programPlaces(argv: readonly string[], cwd?: string, path?: string): string[] {
  const [program = "", ...rest] = argv;
  const places = [linkedProgram(program, path) ?? program, ...rest].flatMap((word) => {
    const named = pathIn(word, cwd);
    const found = named === undefined ? undefined : canonical(named);
    return found === undefined ? [] : (findPlace(found) ?? []);
  });
  return Array.from(new Set(places));
}

/** The target of a program on `path` that is a link out of its folder. */
function linkedProgram(name: string, path: string | undefined): string | undefined {
  if (path === undefined || name.includes("/")) return undefined;
  const found = lookForProgram(name, path);
  const target = found === undefined ? undefined : canonical(found);
  if (found === undefined || target === undefined) return undefined;
  return dirname(target) === canonical(dirname(found)) ? undefined : target;
}

function pathIn(word: string, cwd: string | undefined): string | undefined {
  const path = fromHome(word);
  if (isAbsolute(path)) return path;
  return cwd !== undefined && word.includes("/") ? join(cwd, word) : undefined;
}

function findPlace(path: string): string | undefined {
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
  const shared = ["/tmp", "/var/tmp", "/run", canonical(tmpdir())];
  return contains(folder, home) || dirname(folder) === folder || shared.includes(folder);
}
