import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { fileEffect } from "../file-effect.ts";
import { checkSize, defaultLines } from "../limits.ts";
import { filePath } from "../parameters.ts";
import { type ReadFileResult, readFileLines, readFileTraits } from "../read-file.ts";
import type { SeenFiles } from "../seen-files.ts";
import type { FileServices } from "../services.ts";

const lineCount = z.int().min(1).max(100_000);

const parameters = z.strictObject({
  path: filePath,
  offset: z.int().min(1).default(1).describe("Number of the first line, from 1."),
  limit: lineCount.optional().describe("Lines to read at most."),
  max_lines: lineCount
    .default(defaultLines)
    .describe("Lines to read at most; the smaller of the two counts."),
});

/** `read_file` for callers that number lines from 1, as editors do. */
export function readNumberedLinesTool(services: FileServices, seen: SeenFiles): Tool {
  return defineTool({
    ...readFileTraits,
    description:
      "Read a text file, or some of its lines, counted from 1. The result has the content, the size in bytes, the number of lines, and nextOffset if there is more.",
    parameters,
    timeoutMs: 10_000,
    effects: ({ path }, context) => [fileEffect(services.workspace, "read", path, context)],
    async execute({ path, offset, limit, max_lines: most }, context): Promise<ReadFileResult> {
      using file = services.workspace.open(path, context);
      checkSize(file.path, file.status.size);
      const lines = { offset: offset - 1, limit: Math.min(limit ?? most, most) };
      const { nextOffset, ...read } = await readFileLines(file, lines, seen, context);
      return { ...read, ...(nextOffset !== undefined && { nextOffset: nextOffset + 1 }) };
    },
  });
}
