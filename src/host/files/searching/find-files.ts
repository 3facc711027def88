import { lstatSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "../../errors.ts";
import { AnchoredFolder, anchorFolder } from "../anchored-folder.ts";
import { parseGlob } from "./glob-pattern.ts";
import { showBytes } from "./list-folder.ts";
import { readComplaint, ripgrepArguments, runRipgrep } from "./ripgrep.ts";

/** What to look for below a folder. */
export interface FindOptions {
  readonly pattern: string;
  /** The newest so many are returned. */
  readonly limit: number;
  /** Leave out what .gitignore and its like name. */
  readonly gitignore: boolean;
  /** What was found by then is returned. */
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

/** A file whose path matched. */
export interface FoundFile {
  /**
   * The path from the searched folder, with "/" between names. Bytes that are not UTF-8 are written `\xHH`.
   */
  readonly path: string;
  /** Unix ms. */
  readonly modifiedAt: number;
}

/** The files whose paths matched. */
export interface FoundFiles {
  /** Newest first. */
  readonly files: readonly FoundFile[];
  /** How many matched, as far as was looked. */
  readonly total: number;
  /** Looking ended before everything was seen. */
  readonly incomplete: "time" | "enough" | undefined;
}

/** Past this many matches the order by age stops being worth its memory. */
const maxMatches = 200_000;
/** Folders held open at a time while their files are looked at. */
const maxHeld = 64;

/** Finds files below a canonical folder; links are not followed. */
export async function findFiles(
  path: string,
  options: FindOptions & { readonly hides: (path: string) => boolean },
): Promise<FoundFiles> {
  const pattern = parseGlob(options.pattern);
  const everyName =
    pattern.names?.every((name) => options.pattern === `**/${name}`) ?? options.pattern === "**";
  using root = anchorFolder(path, "search");
  using look = new FileLook(root.path, everyName ? () => true : pattern.matches, options.hides);
  const args = [
    ...ripgrepArguments(options.gitignore),
    "--files",
    ...(pattern.names ?? []).map((name) => `--type-add=wanted:${name}`),
    ...(pattern.names === undefined ? [] : ["--type=wanted"]),
    ...(pattern.depth === undefined ? [] : [`--max-depth=${pattern.depth}`]),
    "./",
  ];
  const end = await runRipgrep(args, {
    cwd: root.self,
    signal: options.signal,
    maxMs: options.maxMs,
    onOutput: (chunk) => look.take(chunk),
  });
  if (end.exitCode === 2 && look.found.length === 0 && end.complaint !== "") {
    throw new HostError(
      "SEARCH_PATTERN",
      `Cannot find files by "${options.pattern}": ${readComplaint(end)}; correct the glob`,
    );
  }
  look.found.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.path < b.path ? -1 : 1));
  return { files: look.found.slice(0, options.limit), total: look.found.length, incomplete: end.stopped };
}

/** Looks at each file that ripgrep names in the very folder that it should lie in: a link leads nowhere. */
class FileLook implements Disposable {
  readonly found: FoundFile[] = [];
  readonly #root: string;
  readonly #matches: (path: string) => boolean;
  readonly #hides: (path: string) => boolean;
  readonly #held = new Map<string, AnchoredFolder | undefined>();
  #rest: Buffer | undefined;

  constructor(root: string, matches: (path: string) => boolean, hides: (path: string) => boolean) {
    this.#root = root;
    this.#matches = matches;
    this.#hides = hides;
  }

  take(chunk: Buffer): boolean {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      // Each path begins with "./".
      this.#look(bytes.subarray(start + 2, end));
      start = end + 1;
    }
    this.#rest = start < bytes.length ? Buffer.from(bytes.subarray(start)) : undefined;
    return this.found.length < maxMatches;
  }

  [Symbol.dispose](): void {
    for (const folder of this.#held.values()) folder?.[Symbol.dispose]();
    this.#held.clear();
  }

  #look(bytes: Buffer): void {
    const text = bytes.toString();
    const path = text.includes("\ufffd") ? showBytes(bytes) : text;
    if (!this.#matches(path)) return;
    const slash = text.lastIndexOf("/");
    const folder = this.#hold(slash === -1 ? "" : text.slice(0, slash));
    if (folder === undefined) return;
    const reach =
      path === text
        ? folder.at(text.slice(slash + 1))
        : Buffer.concat([Buffer.from(`${folder.self}/`), bytes.subarray(bytes.lastIndexOf(0x2f) + 1)]);
    const stats = lstatSync(reach, { throwIfNoEntry: false });
    if (stats?.isFile()) this.found.push({ path, modifiedAt: stats.mtimeMs });
  }

  #hold(relative: string): AnchoredFolder | undefined {
    if (this.#held.has(relative)) return this.#held.get(relative);
    if (this.#held.size >= maxHeld) this[Symbol.dispose]();
    const folder = this.#open(join(this.#root, relative));
    this.#held.set(relative, folder);
    return folder;
  }

  #open(path: string): AnchoredFolder | undefined {
    if (this.#hides(path)) return undefined;
    try {
      return AnchoredFolder.open(path);
    } catch {
      return undefined;
    }
  }
}
