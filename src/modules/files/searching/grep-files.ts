import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { fileEffect } from "../file-effect.ts";
import { maxListOutputChars, maxMatches } from "../limits.ts";
import { fileGlob, gitignoreSwitch, searchedPath } from "../parameters.ts";
import type { FileServices } from "../services.ts";
import { countMatches, findText, shownPath } from "./find-text.ts";

const parameters = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe("A regular expression (look-around works)."),
  path: searchedPath,
  include: fileGlob,
  max_results: z.int().min(1).max(maxMatches).default(50).describe("Matching lines to return at most."),
  context: z.int().min(0).max(50).default(0).describe("Lines shown before and after each match."),
  case_insensitive: z.boolean().default(false).describe("Take upper and lower case as the same."),
  gitignore: gitignoreSwitch,
});

interface GrepFilesResult {
  readonly matches: readonly GrepMatch[];
  /** Matching lines found; looking ends at 1,000. */
  readonly totalMatches: number;
  /** There are more than `matches` holds. */
  readonly truncated: boolean;
}

export interface GrepMatch {
  readonly path: string;
  /** The number of the line, from 1 on. */
  readonly line: number;
  readonly text: string;
  /** Set for a line that is shown beside a match. */
  readonly context?: true;
}

export function grepFilesTool(services: FileServices): Tool {
  return defineTool({
    name: "grep_files",
    title: "Search in files",
    description:
      "Search file contents with a regular expression. Hidden files are included, binary files and links are not; files that may hold secrets only when path names them.",
    category: "file",
    parameters,
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    timeoutMs: 10_000,
    maxOutputChars: maxListOutputChars,
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    async execute(given, context): Promise<GrepFilesResult> {
      const { pattern, path, include, gitignore } = given;
      const found = await findText(
        services,
        {
          pattern,
          path,
          include,
          gitignore,
          literal: false,
          ignoreCase: given.case_insensitive,
          multiline: false,
          type: undefined,
          context: given.context,
          mode: "content",
          maxResults: maxMatches,
        },
        context,
      );
      const matches: GrepMatch[] = [];
      let shown = 0;
      for (const file of found.files) {
        for (const { line, text, matched } of file.lines) {
          if (matched && shown === given.max_results) break;
          if (matched) shown++;
          const name = shownPath(path, file.path, found.searchedFile);
          matches.push({ path: name, line, text, ...(!matched && { context: true }) });
        }
        if (shown === given.max_results) break;
      }
      const totalMatches = found.files.reduce((sum, file) => sum + countMatches(file), 0);
      return { matches, totalMatches, truncated: totalMatches > shown || found.incomplete !== undefined };
    },
  });
}
