import { lstatSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { HostError } from "../../errors.ts";
import { AnchoredFolder, anchorFolder } from "../anchored-folder.ts";
import { parseGlob } from "./glob-pattern.ts";
import { showBytes } from "./list-folder.ts";
import { readComplaint, ripgrepArguments, runRipgrep } from "./ripgrep.ts";
import { SteadyFolders } from "./steady-folders.ts";

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
    // This thread looks at the files meanwhile.
    `--threads=${Math.min(12, Math.max(1, availableParallelism() - 1))}`,
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
  const found = look.end();
  if (end.exitCode === 2 && found.length === 0 && end.complaint !== "") {
    throw new HostError(
      "SEARCH_PATTERN",
      `Cannot find files by "${options.pattern}": ${readComplaint(end)}; correct the glob`,
    );
  }
  found.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.path < b.path ? -1 : 1));
  return { files: found.slice(0, options.limit), total: found.length, incomplete: end.stopped };
}

const missingIsNone = { throwIfNoEntry: false } as const;

/** A folder with files that were looked at by their paths, which takes half as long. */
interface PlainFolder {
  readonly path: string;
  readonly files: FoundFile[];
}

/**
 * Checks each file that ripgrep names inside its own folder, without following links. In a steady folder files are
 * checked by path; any other folder is held open while its files are checked.
 */
class FileLook implements Disposable {
  readonly #found: FoundFile[] = [];
  readonly #steady = new SteadyFolders();
  readonly #plain = new Map<string, PlainFolder | undefined>();
  #count = 0;
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
    return this.#count < maxMatches;
  }

  /** Everything that was found, once the search has ended. */
  end(): FoundFile[] {
    for (const [relative, folder] of this.#plain) {
      if (folder === undefined) continue;
      const isCertain = this.#steady.wasSteady(folder.path);
      for (const file of folder.files) {
        const found = isCertain ? file : this.#lookHeld(relative, file.path);
        if (found !== undefined) this.#found.push(found);
      }
    }
    this.#plain.clear();
    return this.#found;
  }

  [Symbol.dispose](): void {
    for (const folder of this.#held.values()) folder?.[Symbol.dispose]();
    this.#held.clear();
  }

  #look(bytes: Buffer): void {
    const text = bytes.toString();
    const path = text.includes("\ufffd") ? showBytes(bytes) : text;
    if (!this.#matches(path)) return;
    const relative = text.slice(0, Math.max(0, text.lastIndexOf("/")));
    const plain = path === text ? this.#see(relative) : undefined;
    if (plain === undefined) {
      const found = this.#lookHeld(relative, path, path === text ? undefined : bytes);
      if (found === undefined) return;
      this.#found.push(found);
    } else {
      const stats = lstatSync(
        `${plain.path === "/" ? "" : plain.path}/${text.slice(text.lastIndexOf("/") + 1)}`,
        missingIsNone,
      );
      if (stats?.isFile() !== true) return;
      plain.files.push({ path, modifiedAt: stats.mtimeMs });
    }
    this.#count++;
  }

  /** @param bytes of the path, where they are not UTF-8 */
  #lookHeld(relative: string, path: string, bytes?: Buffer): FoundFile | undefined {
    const folder = this.#hold(relative);
    if (folder === undefined) return undefined;
    const reach =
      bytes === undefined
        ? folder.at(path.slice(path.lastIndexOf("/") + 1))
        : Buffer.concat([Buffer.from(`${folder.self}/`), bytes.subarray(bytes.lastIndexOf(0x2f) + 1)]);
    const stats = lstatSync(reach, missingIsNone);
    return stats?.isFile() === true ? { path, modifiedAt: stats.mtimeMs } : undefined;
  }

  #see(relative: string): PlainFolder | undefined {
    let folder = this.#plain.get(relative);
    if (folder === undefined && !this.#plain.has(relative)) {
      const path = join(this.#root, relative);
      folder = !this.#hides(path) && this.#steady.see(path) ? { path, files: [] } : undefined;
      this.#plain.set(relative, folder);
    }
    return folder;
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
