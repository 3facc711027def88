import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { cutHead } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import { fromHome } from "./from-home.ts";
import { checkWindowsName } from "./windows-path.ts";

/** A path with every link on the way followed. */
export interface ResolvedPath {
  readonly path: string;
  /** The link on the way that leads to nothing. */
  readonly danglingLink?: string;
}

export interface ResolveOptions {
  /** What a relative path starts from; a function is called only for such a path. */
  readonly base: string | undefined | (() => string | undefined);
  /** Follow a link in the last place too; deleting and moving mean the link itself. */
  readonly followLast: boolean;
}

/** The kernel's own limit; more is a loop. */
const maxLinks = 40;
const maxPathBytes = 4096;

/**
 * The canonical absolute form of `given`, also where nothing is there yet: links are followed as far as the path
 * exists, and what follows is taken as it stands.
 */
export function resolvePath(given: string, options: ResolveOptions): ResolvedPath {
  return new PathResolver().resolve(given, options);
}

/**
 * Resolves the paths of one synchronous operation. It looks at each path once, so all of the operation sees one state of
 * the file system. It is never kept for the next operation, because links may change in between.
 */
export class PathResolver {
  readonly #links = new Map<string, LinkTarget>();
  /** Whether no part of a folder's path is a link. */
  readonly #direct = new Map<string, boolean>();

  /** Does what {@link resolvePath} does. */
  resolve(given: string, { base, followLast }: ResolveOptions): ResolvedPath {
    const absolute = toAbsolute(given, base);
    const walked = this.#isDirect(absolute) ? { path: absolute } : this.#walk(absolute, followLast);
    if (isSpecial(walked.path)) throw specialPath(given, walked.path);
    return walked;
  }

  /** The canonical form of a path that no caller gave, such as that of a protected file. */
  canonical(path: string): string {
    return this.resolve(path, { base: () => process.cwd(), followLast: true }).path;
  }

  /** The canonical form of a folder's path. Paths directly in the folder then need no further look at it. */
  canonicalFolder(path: string): string {
    return isAbsolute(path) && canBeDirect(path) && this.#isDirectFolder(path) ? path : this.canonical(path);
  }

  #walk(absolute: string, followLast: boolean): ResolvedPath {
    const walk = new Walk(absolute, (path) => this.#linkTarget(path));
    while (walk.step(followLast));
    const path = process.platform === "linux" ? walk.path : withTrueNames(walk.path, followLast);
    return walk.danglingLink === undefined ? { path } : { path, danglingLink: walk.danglingLink };
  }

  /**
   * Whether a path is canonical as it stands: the system's own resolution leaves its folder as it is, and its last name is
   * no link. That takes two system calls, where a walk takes one for each name.
   */
  #isDirect(path: string): boolean {
    if (!canBeDirect(path)) return false;
    if (this.#direct.get(path) === true) return true;
    const end = path.lastIndexOf("/");
    const name = path.slice(end + 1);
    if (name === "" || name === "." || name === "..") return false;
    return this.#isDirectFolder(path.slice(0, end) || "/") && typeof this.#linkTarget(path) !== "string";
  }

  #isDirectFolder(path: string): boolean {
    const known = this.#direct.get(path);
    if (known !== undefined) return known;
    const direct = isItsRealPath(path);
    this.#direct.set(path, direct);
    return direct;
  }

  #linkTarget(path: string): LinkTarget {
    if (this.#links.has(path)) return this.#links.get(path);
    const target = linkTarget(path);
    this.#links.set(path, target);
    return target;
  }
}

/**
 * Whether a path need not be walked name by name. Special paths are walked, so that they are refused for what they are:
 * links of /proc lead anywhere.
 */
function canBeDirect(path: string): boolean {
  return process.platform === "linux" && !isSpecial(path);
}

function isItsRealPath(path: string): boolean {
  try {
    return realpathSync.native(path) === path;
  } catch {
    return false; // It does not exist, or can't be seen from here: the walk finds out how far it goes.
  }
}

/** Whether canonical `path` is canonical `folder` or lies in it. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function specialPath(given: string, path: string): HostError {
  return new HostError(
    "PATH_SPECIAL",
    `Cannot use "${given}": "${path}" is a device, a pipe, a socket or a window into the system, not a file; name an ordinary file or folder`,
  );
}

function toAbsolute(given: string, base: ResolveOptions["base"]): string {
  checkForm(given);
  const path = fromHome(given);
  if (isAbsolute(path)) return path;
  const start = typeof base === "function" ? base() : base;
  if (start === undefined) {
    throw new HostError(
      "PATH_NO_BASE",
      `Cannot locate "${given}": it is relative, and no folder is allowed from which it could start; give an absolute path, or allow a folder`,
    );
  }
  return join(start, sep) + given;
}

function checkForm(given: string): void {
  const fault = findFault(given);
  if (fault === undefined) return;
  const shown = cutHead(given, 100).replaceAll("\0", "\\0");
  throw new HostError("PATH_INVALID", `Cannot use the path "${shown}": ${fault}`);
}

function findFault(given: string): string | undefined {
  if (given === "") return 'it is empty; use "." for the working folder';
  if (given.includes("\0")) return "it holds a NUL character; remove it";
  if (!given.isWellFormed()) return "it holds half of a surrogate pair; give it in valid Unicode";
  if (Buffer.byteLength(given) > maxPathBytes) return `it is longer than ${maxPathBytes} bytes; shorten it`;
  if (process.platform === "win32") return checkWindowsName(given);
  if (/^[A-Za-z]:[\\/]/.test(given) || given.startsWith("\\\\")) {
    return 'it is a Windows path and this machine has none; use "/" between names';
  }
  return undefined;
}

class Walk {
  path: string;
  danglingLink: string | undefined;
  readonly #names: string[];
  readonly #linkTarget: (path: string) => LinkTarget;
  #links = 0;
  #missing = false;
  /** The last link followed, and how many names were still to come after its own. */
  #link: { readonly path: string; readonly rest: number } | undefined;

  constructor(absolute: string, linkTarget: (path: string) => LinkTarget) {
    this.#linkTarget = linkTarget;
    this.path = parse(absolute).root;
    this.#names = splitNames(absolute.slice(this.path.length)).reverse();
  }

  /** Goes one name further; false at the end. */
  step(followLast: boolean): boolean {
    const name = this.#names.pop();
    if (name === undefined) return false;
    if (name === "" || name === ".") return true;
    if (name === "..") {
      this.path = dirname(this.path);
      return true;
    }
    const next = join(this.path, name);
    if (isProcess(next)) throw specialPath(next, next);
    if (this.#missing) this.path = next;
    else this.#enter(next, followLast || this.#names.length > 0);
    return true;
  }

  #enter(next: string, follow: boolean): void {
    const target = follow ? this.#linkTarget(next) : isThere(next) ? notALink : undefined;
    if (target === undefined) {
      this.#missing = true;
      if (this.#link !== undefined && this.#names.length >= this.#link.rest)
        this.danglingLink = this.#link.path;
    }
    if (target === undefined || target === notALink) {
      this.path = next;
      return;
    }
    if (++this.#links > maxLinks) {
      throw new HostError(
        "PATH_LINK_LOOP",
        `Cannot follow "${next}": more than ${maxLinks} links lead from one to the next; name the file itself`,
      );
    }
    this.#link = { path: next, rest: this.#names.length };
    if (isAbsolute(target)) this.path = parse(target).root;
    this.#names.push(...splitNames(isAbsolute(target) ? target.slice(this.path.length) : target).reverse());
  }
}

const notALink = Symbol("not a link");

/** What a link says; {@link notALink} for anything else; undefined where nothing is there that can be seen. */
type LinkTarget = string | typeof notALink | undefined;

function linkTarget(path: string): LinkTarget {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return undefined;
    return status.isSymbolicLink() ? readlinkSync(path) : notALink;
  } catch {
    // Not to be seen from here (no permission, name too long): opening it will say why.
    return undefined;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function splitNames(path: string): string[] {
  return path.split(sep === "\\" ? /[\\/]/ : "/");
}

/** Links below /proc lead anywhere, whatever they say. */
function isProcess(path: string): boolean {
  return process.platform !== "win32" && isInside("/proc", path);
}

function isSpecial(path: string): boolean {
  if (process.platform === "win32") return false;
  if (isInside("/dev/shm", path)) return false;
  return isInside("/proc", path) || isInside("/sys", path) || isInside("/dev", path);
}

/** The path with its names as the file system spells them, where it does not mind the case. */
function withTrueNames(path: string, followLast: boolean): string {
  const missing: string[] = [];
  for (let at = followLast ? path : dirname(path); ; at = dirname(at)) {
    try {
      const tail = path.slice(at.length);
      return missing.length === 0 && tail === ""
        ? realpathSync.native(at)
        : join(realpathSync.native(at), tail);
    } catch {
      if (dirname(at) === at) return path;
      missing.push(at);
    }
  }
}
