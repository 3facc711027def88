import { join } from "node:path";
import type { FoundLine, SearchedFile, SearchResult } from "../../../host/index.ts";
import { secretGlobs } from "../../../host/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import { maxMatchLineChars } from "../limits.ts";
import type { FileServices } from "../services.ts";

export const outputModes = ["content", "files_with_matches", "count"] as const;
export type OutputMode = (typeof outputModes)[number];

export interface FindTextOptions {
  readonly pattern: string;
  readonly path: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly include: string | undefined;
  readonly type: string | undefined;
  readonly gitignore: boolean;
  readonly context: number;
  readonly mode: OutputMode;
  /** Matching lines, or files, to find at most. */
  readonly maxResults: number;
}

/** Counting shows no lines, so more of them can be looked at. */
const maxCountedMatches = 100_000;
/** A little before the tools' own deadline of 10 s, so that what was found is not lost. */
const searchMs = 9000;

/** Looks for a pattern in a file or in a folder's files; those that hold secrets only when named by themselves. */
export function findText(
  services: FileServices,
  options: FindTextOptions,
  context: ToolContext,
): Promise<SearchResult> {
  const { pattern, path, literal, ignoreCase, multiline, include, type, gitignore, mode } = options;
  return services.workspace.search(path, context, {
    pattern,
    literal,
    ignoreCase,
    multiline,
    include,
    type,
    gitignore,
    exclude: secretGlobs,
    context: mode === "content" ? options.context : 0,
    maxMatches: mode === "count" ? maxCountedMatches : options.maxResults,
    ...(mode === "files_with_matches" && { perFile: 1 }),
    maxLineChars: maxMatchLineChars,
    maxMs: searchMs,
  });
}

/** A found path as a caller can use it again: below the path they gave. */
export function shownPath(base: string, found: string, isFile: boolean): string {
  if (isFile) return base;
  return base === "." || base === "./" ? found : join(base, found);
}

/** Matching and context lines as grep prints them: `path:12:text`, `path-13-text`. */
export function formatLines(path: string, lines: readonly FoundLine[]): string[] {
  return lines.map(({ line, text, matched }) =>
    matched ? `${path}:${line}:${text}` : `${path}-${line}-${text}`,
  );
}

/** Matching lines of a file. */
export function countMatches({ lines }: SearchedFile): number {
  return lines.filter(({ matched }) => matched).length;
}
