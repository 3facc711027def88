import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { checkWrite, type WriteOptions, writeContent } from "./editing/write-content.ts";
import { fileEffect } from "./file-effect.ts";
import { filePath } from "./parameters.ts";
import type { SeenFiles } from "./seen-files.ts";
import type { FileServices } from "./services.ts";
import { textEncodings } from "./text/text-encoding.ts";

const parameters = z.strictObject({
  path: filePath,
  content: z.string().describe("The whole new content."),
  encoding: z
    .enum([...textEncodings, "base64"])
    .optional()
    .describe(
      "Encoding of the file; base64 if the content is bytes. Default: that of the file now, or UTF-8.",
    ),
});

interface WriteFileResult {
  readonly bytesWritten: number;
  readonly note?: string;
}

export function writeFileTool(services: FileServices, seen: SeenFiles): Tool {
  return defineTool({
    name: "write_file",
    title: "Write a file",
    description:
      "Create a file, with the folders it needs, or overwrite one as a whole. What it held before can be restored with undo_changes.",
    category: "file",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    effects: ({ path }, context) => [fileEffect(services.workspace, "write", path, context)],
    check: (given, context) => checkWrite(services, given.path, toOptions(given, seen), context),
    async execute(given, context): Promise<WriteFileResult> {
      const options = toOptions(given, seen);
      const { bytesWritten, notes } = await writeContent(services, given.path, options, context);
      return { bytesWritten, ...(notes.length > 0 && { note: notes.join("; ") }) };
    },
  });
}

function toOptions({ content, encoding }: z.output<typeof parameters>, seen: SeenFiles): WriteOptions {
  return { content, needsRead: false, seen, ...(encoding !== undefined && { encoding }) };
}
