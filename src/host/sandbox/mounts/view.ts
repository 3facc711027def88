import { basename, join, relative, sep } from "node:path";
import { HostError } from "../../errors.ts";
import { isSocket, listeningSockets } from "../egress/sockets.ts";
import type { ProcessBounds } from "../enclosing.ts";
import { findPassings, type Passing, withLines } from "../git/git-exclude.ts";
import { gitPlaces, type ProtectedPlace } from "../git/git-places.ts";
import {
  canonical,
  canonicalPlace,
  contains,
  isEmptyFile,
  isFolder,
  kindAt,
  nearestExisting,
  outermost,
  withoutNested,
} from "../places.ts";
import { closedAround } from "../root-only.ts";
import type { CoverFiles } from "./cover-files.ts";
import {
  findHome,
  homeRoots,
  isSharedRoot,
  neededOfHomes,
  programFolders,
  readableSystemSecrets,
  secretsBelow,
  secretsIn,
  startupFiles,
} from "./homes.ts";
import { holdPlace, isHeld, type StubKind, type StubOptions } from "./placeholder-mounts.ts";

/** What a command sees of the machine, as mounts; the later lie over the earlier. */
export interface View {
  readonly rootWritable: boolean;
  /** Fresh, writable, and gone with the command. */
  readonly fresh: readonly string[];
  readonly mounts: readonly Mount[];
  readonly writable: readonly string[];
  /** Gives back the places that were held for it. */
  readonly release: () => void;
}

export interface Mount {
  /** `empty`: a read-only folder or file with nothing in it, in place of what is there. `nothing`: what is no file, to git neither. */
  readonly kind: "read" | "write" | "empty-folder" | "empty-file" | "nothing";
  readonly source: string;
  readonly target: string;
}

export interface ViewOptions {
  readonly bounds: ProcessBounds;
  /** Canonical. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
  readonly protected: readonly string[];
  readonly covers: CoverFiles;
}

const temporary = ["/tmp", "/var/tmp", "/run"];
/** Made anew for each command: nothing of the machine's is let in there. */
const ownRoots = ["/proc", "/dev", "/sys"];

/**
 * The system read-only; temporary folders and sockets, and the homes of users, replaced by empty ones, in which stand
 * read-only the programs of `PATH` and what is `readable`; then what is writable; over that, what may hold secrets in a
 * home, and what nobody may change or see.
 *
 * @throws {HostError} SANDBOX_REFUSED where a protected path leads through a link that a command could exchange.
 */
export function planView(options: ViewOptions): View {
  const { bounds, environment } = options;
  const hidden = options.hidden.map(canonicalPlace);
  const isHidden = (path: string) => hidden.some((one) => contains(one, path));
  const isOffered = (path: string) => !isHidden(path) && !ownRoots.some((root) => contains(root, path));
  const writable = writableFolders(bounds).filter(isOffered);
  const isWritable = (path: string) => writable.some((one) => contains(one, path));

  const homes = homeRoots(environment);
  const programs = programFolders(environment);
  const folder = bounds.seesFolder === false ? [] : [options.cwd];
  const asked = outermost([...(bounds.readable ?? []), ...folder]).filter((path) => path !== "/");
  const closed = closedAround({
    atWork: [...writable, ...folder],
    asked,
    programs,
  });
  const fresh = outermost([
    ...temporary.filter((path) => !writable.some((one) => one !== "/" && contains(one, path))),
    ...homes.filter((home) => !isWritable(home)),
    ...closed.around,
  ]);
  const isFresh = (path: string) => fresh.some((one) => contains(one, path));

  const needed = [
    ...neededOfHomes(environment, { roots: homes, programs }),
    ...strayPrograms(programs, homes),
  ].filter((path) => isFresh(path) && !isWritable(path));
  const readable = asked.filter((path) => isOffered(path) && isFresh(path) && !isWritable(path));
  const mounts: Mount[] = [
    ...needed.flatMap(bindRead),
    ...readable.flatMap(bindRead),
    ...writable.filter((path) => path !== "/").map(bindWrite),
  ];
  const shown = [...needed, ...readable, ...writable];
  const isSeen = (path: string) => !isFresh(path) || shown.some((one) => contains(one, path));
  const decided = [...bounds.writable, ...(bounds.changed ?? []), ...(bounds.readable ?? []), ...folder];
  const named = new Set(decided.flatMap((path) => canonical(path) ?? []));
  const guard = new Guard(writable, options.covers);
  try {
    for (const place of protectedPlaces(writable, homes, options.protected)) guard.protect(place);
    for (const path of options.hidden) guard.protect({ path, kind: hiddenKind(path) }, { keepPlace: true });
    guard.passByGit();
  } catch (error) {
    guard.release();
    throw error;
  }
  mounts.push(
    ...guard.mounts,
    // In a hidden folder there is nothing left that could be hidden.
    ...withoutNested([
      ...[
        ...secretsOfHomes({ needed, shown, homes, environment }),
        ...readableSystemSecrets(),
        ...closed.apart,
      ].filter((path) => isSeen(path) && isThere(path) && !named.has(path)),
      ...hidden.filter((path) => isSeen(path) && isThere(path)),
      ...listeningSockets([options.cwd, ...writable]).filter(
        (path) => isOffered(path) && isSeen(path) && !named.has(path),
      ),
    ]).map(hide),
  );
  // A command can start in a folder that it does not see, and its home is there where all of /home or /tmp is replaced.
  const made = [options.cwd, ...ownHome(environment)].filter(
    (path) => isFresh(path) && !fresh.includes(path) && !shown.some((one) => contains(one, path)),
  );
  return {
    rootWritable: writable.includes("/"),
    fresh: [...fresh, ...new Set(made)],
    mounts,
    writable,
    release: () => guard.release(),
  };
}

function ownHome({ HOME: path = "" }: Readonly<Record<string, string>>): string[] {
  const home = path === "" ? undefined : canonical(path);
  return home === undefined || !isFolder(home) ? [] : [home];
}

/** What exists of what may be changed, canonical. */
export function writableFolders({ writable, changed = [] }: ProcessBounds): string[] {
  return outermost([...writable, ...changed.map(nearestExisting).filter((path) => path !== "/")]);
}

/** The kind of a hidden path. Where nothing exists, only the name says whether it will be a file. */
function hiddenKind(path: string): StubKind {
  return /[^.]\./.test(basename(path)) ? "file" : "folder";
}

/** bubblewrap would make what it is to cover. */
function isThere(path: string): boolean {
  return kindAt(path) !== "nothing";
}

function bindRead(target: string): Mount[] {
  const source = canonical(target);
  return source === undefined ? [] : [{ kind: "read", source, target }];
}

function bindWrite(path: string): Mount {
  return { kind: "write", source: path, target: path };
}

function hide(target: string): Mount {
  if (isSocket(target)) return { kind: "nothing", source: "", target };
  return { kind: isFolder(target) ? "empty-folder" : "empty-file", source: "", target };
}

/** Folders of `PATH` among temporary files, as version managers make them. */
function strayPrograms(programs: readonly string[], homes: readonly string[]): string[] {
  return programs.filter((path) => findHome(path, homes) === undefined && !temporary.includes(path));
}

interface Exposure {
  readonly needed: readonly string[];
  readonly shown: readonly string[];
  readonly homes: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The secrets in what programs need of a home, and in homes that can be seen themselves. */
export function secretsOfHomes({ needed, shown, homes, environment }: Exposure): string[] {
  const own = findHome(environment["HOME"] ?? "", homes);
  const seen = [...homes, ...(own === undefined ? [] : [own])].filter((home) =>
    shown.some((one) => contains(one, home)),
  );
  return [...needed.flatMap(secretsBelow), ...seen.flatMap(secretsIn)];
}

/** What nobody may change in what a command may: what git and shells would run, and what is given. */
export function protectedPlaces(
  writable: readonly string[],
  homes: readonly string[],
  given: readonly string[],
): ProtectedPlace[] {
  const places: ProtectedPlace[] = given.map((path) => ({ path, kind: "file" }));
  for (const folder of writable) {
    places.push(...gitPlaces(folder));
    for (const home of homes) {
      if (!contains(folder, home) || isSharedRoot(home)) continue;
      places.push(...startupFiles.map((name): ProtectedPlace => ({ path: join(home, name), kind: "file" })));
    }
  }
  return places;
}

/** Read-only mounts over paths, as far as they lie in something writable. */
class Guard {
  readonly #writable: readonly string[];
  /** Folders on the way: as mounts of their own, they can't be moved away with what lies in them. */
  readonly #pinned = new Set<string>();
  readonly #kept = new Set<string>();
  /** What a command sees empty, and git in it as new. */
  readonly #empty = new Set<string>();
  readonly #covered: Mount[] = [];
  readonly #held: (() => void)[] = [];
  readonly #covers: CoverFiles;

  constructor(writable: readonly string[], covers: CoverFiles) {
    this.#writable = writable;
    this.#covers = covers;
  }

  get mounts(): Mount[] {
    const byDepth = (a: string, b: string) => a.length - b.length;
    return [
      ...Array.from(this.#pinned).sort(byDepth).map(bindWrite),
      ...Array.from(this.#kept).sort(byDepth).flatMap(bindRead),
      ...this.#covered,
    ];
  }

  /** Lets git see none of the places that are held: a command may commit, stash or clean all there is. */
  passByGit(): void {
    for (const passing of findPassings(Array.from(this.#empty), this.#writable)) this.#cover(passing);
  }

  #cover(passing: Passing): void {
    const { info, file } = passing;
    for (const [path, kind] of [
      [info, "folder"],
      [file, "file"],
    ] as const) {
      if (kindAt(path) !== "nothing" && !isHeld(path, { kind })) continue;
      const giveBack = holdPlace(path, { kind });
      if (giveBack === undefined) return;
      this.#held.push(giveBack);
    }
    const content = withLines(passing);
    if (content === undefined) return;
    const cover = this.#covers.make(content);
    this.#held.push(cover.remove);
    this.#covered.push({ kind: "read", source: cover.path, target: file });
  }

  /**
   * Protects a place. If nothing is there yet, the place is held.
   *
   * @param keepPlace that of a file is not given back: one that is empty may be open all the same, such as a log of the store
   */
  protect(place: ProtectedPlace, { keepPlace = false } = {}): void {
    for (const path of new Set([place.path, canonicalPlace(place.path)])) {
      const folder = this.#writable.find((one) => contains(one, path));
      if (folder !== undefined) this.#protectIn(folder, { ...place, path }, keepPlace);
    }
  }

  release(): void {
    for (const giveBack of this.#held.splice(0).reverse()) giveBack();
  }

  #protectIn(folder: string, place: ProtectedPlace, keepPlace: boolean): void {
    const { path } = place;
    let at = folder;
    const names = relative(folder, path).split(sep);
    if (names[0] === "") return;
    for (const [index, name] of names.entries()) {
      at = join(at, name);
      if (this.#kept.has(at)) return;
      const isLast = index === names.length - 1;
      const found = kindAt(at);
      if (found === "link") throw linked(at, path);
      const stub: StubOptions = isLast ? place : { kind: "folder" };
      if (found === "nothing" || isHeld(at, stub)) return this.#hold(at, stub, keepPlace);
      if (isLast || found === "file") return this.#keep(at, keepPlace);
      this.#pinned.add(at);
    }
  }

  /** An empty file may be another haft's stub, or what is left of one that was killed; what is hidden looks empty. */
  #keep(path: string, isHidden: boolean): void {
    this.#kept.add(path);
    if (isHidden || isEmptyFile(path)) this.#empty.add(path);
  }

  #hold(path: string, stub: StubOptions, keepPlace: boolean): void {
    const giveBack = holdPlace(path, stub);
    if (giveBack === undefined) return;
    this.#kept.add(path);
    this.#empty.add(path);
    if (!keepPlace || stub.kind === "folder") this.#held.push(giveBack);
  }
}

function linked(link: string, path: string): HostError {
  return new HostError(
    "SANDBOX_REFUSED",
    `Cannot keep "${path}" from being changed by a command: "${link}" is a link, which a command could exchange; put the file itself there`,
    { details: { link, path } },
  );
}
