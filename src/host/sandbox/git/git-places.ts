import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { StubKind } from "../mounts/placeholder-mounts.ts";
import { contains, kindAt } from "../places.ts";
import { parseGitConfig } from "./git-config.ts";

/** What nobody asked for, but whoever can write it decides what runs later, outside. */
export interface ProtectedPlace {
  readonly path: string;
  readonly kind: StubKind;
  /** The content of the file that holds the place, where an empty one would be in somebody's way. */
  readonly content?: string;
}

/** A `commondir` by which a repository is its own: git goes on as if there were none, and so does its owner's, meanwhile. */
const ownCommonFolder = ".\n";

/**
 * What git starts by itself, in a folder that has a repository, and in its submodules: hooks and settings, wherever these
 * say that they are, and the files by which git would look for them elsewhere. `info/attributes` and `.gitmodules` only
 * name what the settings define, and `objects/info/alternates` only has data. Of linked worktrees those are meant whose
 * own folder is outside: they are somebody else's. Repositories further below are not meant: to make
 * them, and to change them, is everyday work; see {@link GitWatch}.
 */
export function gitPlaces(folder: string): ProtectedPlace[] {
  const git = join(folder, ".git");
  const kind = kindAt(git);
  if (kind === "nothing") return [];
  // A link is refused, when it is to be protected.
  if (kind !== "folder") return [{ path: git, kind: "file" }];
  return [
    ...placesOfRepository(git),
    ...listSubmodules(git).flatMap(placesOfSubmodule),
    ...worktreesOutside(git, folder).flatMap((one): ProtectedPlace[] => [
      { path: join(one, "commondir"), kind: "file" },
      { path: join(one, "config.worktree"), kind: "file" },
    ]),
    ...placesNamed(git, folder),
  ];
}

function placesOfRepository(git: string): ProtectedPlace[] {
  const isPerWorktree = settingsIn(join(git, "config")).some(
    ({ name }) => name === "extensions.worktreeconfig",
  );
  return [
    { path: join(git, "config"), kind: "file" },
    ...(isPerWorktree ? [{ path: join(git, "config.worktree"), kind: "file" } as const] : []),
    ...placesOfSubmodule(git),
  ];
}

/** `git submodule update` writes its settings anew each time. */
function placesOfSubmodule(git: string): ProtectedPlace[] {
  return [
    { path: join(git, "hooks"), kind: "folder" },
    { path: join(git, "commondir"), kind: "file", content: ownCommonFolder },
  ];
}

/** Folders that are looked into for submodules, whose names may have slashes in them. More of them are nobody's. */
const mostModules = 300;

/** The git folders of a repository's submodules, and of theirs. */
export function listSubmodules(git: string): string[] {
  const found: string[] = [];
  const queue = [join(git, "modules")];
  for (let at = 0; at < queue.length && at < mostModules; at++) {
    const folder = queue[at] ?? "";
    for (const name of foldersIn(folder)) {
      const path = join(folder, name);
      if (kindAt(join(path, "HEAD")) !== "file") queue.push(path);
      else {
        found.push(path);
        queue.push(join(path, "modules"));
      }
    }
  }
  return found;
}

function worktreesOutside(git: string, folder: string): string[] {
  return foldersIn(join(git, "worktrees"))
    .map((name) => join(git, "worktrees", name))
    .filter((one) => {
      const place = dirname(readText(join(one, "gitdir")).trim());
      return place.startsWith("/") && !contains(folder, place);
    });
}

/** Settings may name hooks, and further settings, in the folder itself. */
function placesNamed(git: string, folder: string): ProtectedPlace[] {
  const places: ProtectedPlace[] = [];
  if (kindAt(join(folder, ".husky")) === "folder")
    places.push({ path: join(folder, ".husky"), kind: "folder" });
  const home = homedir();
  const files = [
    join(git, "config"),
    join(git, "config.worktree"),
    join(home, ".gitconfig"),
    join(home, ".config/git/config"),
    "/etc/gitconfig",
  ];
  for (let at = 0; at < files.length && at < mostFiles; at++) {
    const file = files[at] ?? "";
    for (const { name, value } of settingsIn(file)) {
      const path = value.startsWith("~/") ? join(home, value.slice(2)) : value;
      if (path === "") continue;
      if (name === "core.hookspath") {
        const hooks = resolve(folder, path);
        // husky has git start what it puts into `_`, and that starts what lies beside it.
        places.push({ path: basename(hooks) === "_" ? dirname(hooks) : hooks, kind: "folder" });
      }
      if (name === "include.path" || name === "includeif.path") {
        const included = resolve(dirname(file), path);
        files.push(included);
        places.push({ path: included, kind: "file" });
      }
    }
  }
  return places.filter(({ path }) => path !== folder && contains(folder, path));
}

/** More settings files than anybody includes. */
const mostFiles = 20;

function settingsIn(file: string): ReturnType<typeof parseGitConfig> {
  return parseGitConfig(readText(file));
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}
