import { z } from "zod";
import type { SearchResult } from "../../host/index.ts";
import { defineTool, type Tool, type ToolContext } from "../../kernel/index.ts";
import { fileEffect } from "./file-effect.ts";
import { maxListOutputChars, maxMatches } from "./limits.ts";
import { fileGlob, gitignoreSwitch, searchedPath } from "./parameters.ts";
import {
  countMatches,
  type FindTextOptions,
  findText,
  formatLines,
  outputModes,
  shownPath,
} from "./searching/find-text.ts";
import type { FileServices } from "./services.ts";
import { showName, withNotes } from "./text/shown-text.ts";

const contextLines = z.int().min(0).max(50);

const parameters = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .describe("A regular expression (look-around works), or a plain text with literal."),
  path: searchedPath,
  type: z.string().max(50).optional().describe("File type, for example js, ts, go, py, md."),
  glob: fileGlob,
  output_mode: z
    .enum(outputModes)
    .default("content")
    .describe(
      "content: matching lines; files_with_matches: paths, newest first; count: matching lines per file.",
    ),
  context: contextLines.optional().describe("Lines shown before and after each match."),
  "-C": contextLines.optional().describe("The same as context."),
  case_insensitive: z.boolean().default(false).describe("Take upper and lower case as the same."),
  literal: z.boolean().default(false).describe("Take the pattern as it stands, not as an expression."),
  multiline: z.boolean().default(false).describe("Let matches go over line ends."),
  max_results: z
    .int()
    .min(1)
    .max(maxMatches)
    .default(maxMatches)
    .describe("Matching lines, or files, to return at most."),
  gitignore: gitignoreSwitch,
});

type Parameters = z.output<typeof parameters>;

export function grepTool(services: FileServices): Tool {
  return defineTool({
    name: "grep",
    title: "Search in files",
    description:
      "Search file contents with a regular expression: matching lines as path:line:text. Hidden files are included, binary files and links are not; files that may hold secrets only when path names them.",
    category: "file",
    parameters,
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    timeoutMs: 10_000,
    maxOutputChars: maxListOutputChars,
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    async execute(given, context) {
      const found = await findText(services, toOptions(given), context);
      const lines = await format(services, found, given, context);
      return withNotes(lines.join("\n"), listNotes(found, given));
    },
  });
}

function toOptions(given: Parameters): FindTextOptions {
  return {
    pattern: given.pattern,
    path: given.path,
    literal: given.literal,
    ignoreCase: given.case_insensitive,
    multiline: given.multiline,
    include: given.glob,
    type: given.type,
    gitignore: given.gitignore,
    context: given.context ?? given["-C"] ?? 0,
    mode: given.output_mode,
    maxResults: given.max_results,
  };
}

async function format(
  services: FileServices,
  found: SearchResult,
  given: Parameters,
  context: ToolContext,
): Promise<string[]> {
  const formatName = (path: string) => showName(shownPath(given.path, path, found.searchedFile));
  switch (given.output_mode) {
    case "content":
      return found.files.flatMap(({ path, lines }) => formatLines(formatName(path), lines));
    case "count":
      return found.files.map((file) => `${formatName(file.path)}:${countMatches(file)}`);
    case "files_with_matches":
      return newestFirst(services, found, given, context).map(formatName);
  }
}

function newestFirst(
  services: FileServices,
  { files, searchedFile }: SearchResult,
  { path: base }: Parameters,
  context: ToolContext,
): string[] {
  const timed = files.map(({ path }) => {
    const status = services.workspace.status(shownPath(base, path, searchedFile), context);
    return { path, modifiedAt: status?.modifiedAt ?? 0 };
  });
  return timed.sort((a, b) => b.modifiedAt - a.modifiedAt).map(({ path }) => path);
}

function listNotes(
  { matches, incomplete }: SearchResult,
  { max_results, output_mode, gitignore }: Parameters,
): string[] {
  if (matches === 0 && incomplete === undefined)
    return [gitignore ? "no matches; set gitignore to false to search ignored files too" : "no matches"];
  if (incomplete === "time")
    return ["stopped for lack of time, so there may be more; narrow the path, the type or the glob"];
  const what = output_mode === "files_with_matches" ? "files" : "matching lines";
  return incomplete === "enough"
    ? [`stopped at ${max_results} ${what}, there are more; narrow the pattern, the path or the glob`]
    : [];
}
