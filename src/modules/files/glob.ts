import { isAbsolute } from "node:path";
import { z } from "zod";
import { splitGlob } from "../../host/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { fileEffect } from "./file-effect.ts";
import { maxFoundFiles, maxListOutputChars } from "./limits.ts";
import { gitignoreSwitch } from "./parameters.ts";
import { shownPath } from "./searching/find-text.ts";
import type { FileServices } from "./services.ts";
import { showName, withNotes } from "./text/shown-text.ts";

const parameters = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(4096)
    .describe("For example **/*.ts, src/**/*.{json,yml} or *.md (this folder only)."),
  path: z
    .string()
    .min(1)
    .default(".")
    .describe("The folder to search, absolute or relative to the working folder."),
  gitignore: gitignoreSwitch,
});

/** A little before the tool's own deadline of 5 s, so that what was found is not lost. */
const findMs = 4500;

export function globTool(services: FileServices): Tool {
  return defineTool({
    name: "glob",
    title: "Find files",
    description:
      "Find files by a glob pattern, newest first, one path a line. Hidden files are included; links are not followed.",
    category: "file",
    parameters,
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    timeoutMs: 5000,
    maxOutputChars: maxListOutputChars,
    effects: (given, context) => [fileEffect(services.workspace, "read", toPlace(given).path, context)],
    async execute(given, context) {
      const { path, pattern } = toPlace(given);
      const found = await services.workspace.find(path, context, {
        pattern,
        limit: maxFoundFiles,
        gitignore: given.gitignore,
        maxMs: findMs,
      });
      const lines = found.files.map((file) => showName(shownPath(path, file.path, false)));
      return withNotes(lines.join("\n"), listNotes(found, given));
    },
  });
}

/** The folders that a pattern spells out belong to the path: less to search, and less to ask for. */
function toPlace({ path, pattern }: { readonly path: string; readonly pattern: string }): {
  path: string;
  pattern: string;
} {
  const { folder, rest } = splitGlob(pattern);
  if (folder === "") return { path, pattern: rest };
  return {
    path: isAbsolute(folder) || path === "." ? folder : `${path.replace(/\/+$/, "")}/${folder}`,
    pattern: rest,
  };
}

function listNotes(
  {
    files,
    total,
    incomplete,
  }: { readonly files: readonly unknown[]; readonly total: number; readonly incomplete: string | undefined },
  { gitignore }: { readonly gitignore: boolean },
): string[] {
  const notes: string[] = [];
  if (total === 0)
    notes.push(
      gitignore ? "no files found; set gitignore to false to look among ignored files too" : "no files found",
    );
  if (total > files.length)
    notes.push(
      `the newest ${files.length} of ${incomplete === undefined ? total : `more than ${total}`} files; narrow the pattern or the path`,
    );
  if (incomplete === "time")
    notes.push("stopped for lack of time, so there may be more; narrow the pattern or the path");
  return notes;
}
