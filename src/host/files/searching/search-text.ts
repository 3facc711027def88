import { basename, dirname } from "node:path";
import { HostError } from "../../errors.ts";
import { type AnchoredFolder, anchorFolder } from "../anchored-folder.ts";
import { LineCheck, type SeenLine } from "../line-check.ts";
import { parseGlob } from "./glob-pattern.ts";
import { type RipgrepEnd, readComplaint, ripgrepArguments, runRipgrep } from "./ripgrep.ts";

/** What to look for in files, and how much of it to bring. */
export interface SearchOptions {
  /** A regular expression of ripgrep's, or a text. */
  readonly pattern: string;
  /** The pattern is a text, not an expression. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Matches may go over several lines. */
  readonly multiline: boolean;
  /** Glob for the files to look into; without "/" it is for their names. */
  readonly include: string | undefined;
  /** A file type that ripgrep knows: `ts`, `py`. */
  readonly type: string | undefined;
  /** Globs of files that are not looked into unless the search is for that very file. */
  readonly exclude: readonly string[];
  readonly gitignore: boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
  /** At most so many matching lines; with `perFile` 1, so many files. */
  readonly maxMatches: number;
  /** Matching lines per file. @default all */
  readonly perFile?: number;
  /** Longer lines are shown in part, around the match. */
  readonly maxLineChars: number;
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

/** A line that matched, or stands beside one that did. */
export interface FoundLine {
  /** The number of the line, from 1 on. */
  readonly line: number;
  readonly text: string;
  /** false: shown as the context of another. */
  readonly matched: boolean;
}

/** A file with matches. */
export interface SearchedFile {
  /** The path from the searched folder; the file's name if a file was searched. */
  readonly path: string;
  /** The lines in order. */
  readonly lines: readonly FoundLine[];
}

/** The lines that matched, by file. */
export interface SearchResult {
  /** The files in the order of their paths. */
  readonly files: readonly SearchedFile[];
  readonly matches: number;
  /** The path was a file, and `files` has at most that one. */
  readonly searchedFile: boolean;
  /** The search ended before everything was looked through. */
  readonly incomplete: RipgrepEnd["stopped"];
}

const matchSeparator = 1;
const contextSeparator = 2;
/** What ripgrep shows of a line is compared with the file and thrown away, so a little is enough. */
const shownColumns = 200;
/** A record that never ends is not one. */
const maxRecordBytes = 1024 * 1024;

/** Searches a canonical file, or the files below a canonical folder; links are not followed. */
export async function searchText(
  path: string,
  options: SearchOptions & { readonly hides: (path: string) => boolean },
): Promise<SearchResult> {
  const target = anchorTarget(path);
  using root = target.folder;
  const include = toInclude(options.include);
  using records = new Records(root.path, options, target.file === undefined ? include.matches : () => true);
  const end = await runRipgrep([...toArguments(options, include), `./${target.file ?? ""}`], {
    cwd: root.self,
    signal: options.signal,
    maxMs: options.maxMs,
    onOutput: (chunk) => records.take(chunk),
  });
  if (end.exitCode === 2 && records.matches === 0 && end.complaint !== "") throw refusedSearch(options, end);
  return { ...records.result(), searchedFile: target.file !== undefined, incomplete: end.stopped };
}

function anchorTarget(path: string): { folder: AnchoredFolder; file: string | undefined } {
  const parent = dirname(path);
  if (parent !== path) {
    const folder = anchorFolder(parent, "search");
    if (folder.status(basename(path))?.isFile()) return { folder, file: basename(path) };
    folder[Symbol.dispose]();
  }
  return { folder: anchorFolder(path, "search"), file: undefined };
}

interface Include {
  readonly types: readonly string[];
  readonly matches: (path: string) => boolean;
}

/** A glob of names goes to ripgrep, as a file type: its own globs would bring back what .gitignore leaves out. */
function toInclude(glob: string | undefined): Include {
  if (glob === undefined) return { types: [], matches: () => true };
  const pattern = parseGlob(glob.includes("/") ? glob : `**/${glob}`);
  return {
    types: (pattern.names ?? []).map((name) => `--type-add=wanted:${name}`),
    matches: pattern.matches,
  };
}

function toArguments(options: SearchOptions, include: Include): string[] {
  const byName = options.type === undefined && include.types.length > 0;
  return [
    ...ripgrepArguments(options.gitignore),
    "--with-filename",
    "--line-number",
    "--column",
    "--byte-offset",
    "--no-heading",
    "--color=never",
    "--crlf",
    "--no-context-separator",
    `--field-match-separator=\\x0${matchSeparator}`,
    `--field-context-separator=\\x0${contextSeparator}`,
    `--max-columns=${shownColumns}`,
    "--max-columns-preview",
    `--engine=${needsBacktracking(options) ? "pcre2" : "default"}`,
    ...(options.literal ? ["--fixed-strings"] : []),
    options.ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(options.multiline ? ["--multiline"] : []),
    ...(options.context > 0 ? [`--context=${options.context}`] : []),
    ...(options.perFile === undefined ? [] : [`--max-count=${options.perFile}`]),
    ...(options.type === undefined ? [] : [`--type=${options.type}`]),
    ...(byName ? [...include.types, "--type=wanted"] : []),
    ...options.exclude.map((glob) => `--iglob=!${glob}`),
    `--regexp=${options.pattern}`,
    "--",
  ];
}

/** Look-around and back-references, which ripgrep's own engine leaves out; the time limit bounds the other one. */
function needsBacktracking({ pattern, literal }: SearchOptions): boolean {
  return !literal && /\(\?<?[=!]|\\[1-9]|\\k[<{']/.test(pattern);
}

function refusedSearch({ pattern, type }: SearchOptions, end: RipgrepEnd): HostError {
  const { complaint } = end;
  if (/unrecognized file type/.test(complaint)) {
    return new HostError(
      "SEARCH_PATTERN",
      `Cannot search files of type "${type}": ripgrep knows no such type; use one such as js, ts, py, go, md, or a glob`,
    );
  }
  const literalNewline = /literal .*not allowed/.test(complaint);
  const remedy = literalNewline
    ? "set multiline to match over lines"
    : "correct it, or set literal to search for it as it stands";
  return new HostError("SEARCH_PATTERN", `Cannot search for "${pattern}": ${readComplaint(end)}; ${remedy}`, {
    details: { pattern, complaint },
  });
}

/** Reads ripgrep's output, record by record: `path NUL line SEP [column SEP] offset SEP text NEWLINE`. */
class Records implements Disposable {
  matches = 0;
  readonly #files = new Map<string, FoundLine[]>();
  readonly #options: SearchOptions;
  readonly #included: (path: string) => boolean;
  readonly #check: LineCheck;
  #rest: Buffer | undefined;

  constructor(
    root: string,
    options: SearchOptions & { readonly hides: (path: string) => boolean },
    included: (path: string) => boolean,
  ) {
    this.#options = options;
    this.#included = included;
    this.#check = new LineCheck(root, options.maxLineChars, options.hides);
  }

  take(chunk: Buffer): boolean {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (;;) {
      const nul = bytes.indexOf(0, start);
      const end = nul === -1 ? -1 : bytes.indexOf(10, nul);
      if (end === -1) break;
      if (!this.#record(bytes.subarray(start, nul), bytes.subarray(nul + 1, end))) return false;
      start = end + 1;
    }
    this.#rest = start < bytes.length ? Buffer.from(bytes.subarray(start)) : undefined;
    return (this.#rest?.length ?? 0) < maxRecordBytes;
  }

  result(): Pick<SearchResult, "files" | "matches"> {
    const files = Array.from(this.#files, ([path, lines]) => ({ path, lines }));
    return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), matches: this.matches };
  }

  [Symbol.dispose](): void {
    this.#check[Symbol.dispose]();
  }

  /** Takes one record; false when there are enough. */
  #record(before: Buffer, record: Buffer): boolean {
    // A message of ripgrep's own ("binary file matches") ends in a newline, so it stands before the path.
    const path = before.subarray(before.lastIndexOf("\n./") + 1).subarray(2);
    const fields = readFields(record);
    if (fields === undefined) return true;
    if (fields.matched && this.matches >= this.#options.maxMatches) return false;
    const name = path.toString();
    if (!this.#included(name)) return true;
    const text = this.#check.readText(path, fields);
    if (text === undefined) return true;
    const lines = this.#files.get(name) ?? [];
    if (lines.length === 0) this.#files.set(name, lines);
    lines.push({ line: fields.line, text, matched: fields.matched });
    if (fields.matched) this.matches++;
    return true;
  }
}

function readFields(record: Buffer): SeenLine | undefined {
  const matchEnd = record.indexOf(matchSeparator);
  const contextEnd = record.indexOf(contextSeparator);
  const matched = matchEnd !== -1 && (contextEnd === -1 || matchEnd < contextEnd);
  const separator = matched ? matchSeparator : contextSeparator;
  const numbers: number[] = [];
  let start = 0;
  for (let field = 0; field < (matched ? 3 : 2); field++) {
    const end = record.indexOf(separator, start);
    if (end === -1) return undefined;
    numbers.push(Number(record.toString("latin1", start, end)));
    start = end + 1;
  }
  if (!numbers.every(Number.isSafeInteger)) return undefined;
  const [line = 0, column = 1] = numbers;
  return {
    matched,
    line,
    column: matched ? column - 1 : 0,
    offset: numbers.at(-1) ?? 0,
    seen: record.subarray(start),
  };
}
