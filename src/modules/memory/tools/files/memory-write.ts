import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { type ChangedFileResult, changeFile, memoryFileEffect } from "./change-file.ts";
import { memoryFilePath } from "./parameters.ts";
import type { MemoryFileServices } from "./services.ts";

const parameters = z.strictObject({
  path: memoryFilePath,
  content: z
    .string()
    .describe(
      'The whole new text in Markdown. A line "> Summary: …" after the heading is what memory_list shows',
    ),
});

export function memoryWriteTool({ files }: MemoryFileServices): Tool {
  return defineTool({
    name: "memory_write",
    title: "Write a memory file",
    description:
      "Create a file of long-term memory, or overwrite one as a whole; what it held before is kept. To change a part use memory_patch, to add use memory_append.",
    category: "memory",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    effects: ({ path }, context) => memoryFileEffect(files, "write", path, context),
    execute: ({ path, content }, context): Promise<ChangedFileResult> =>
      changeFile(files, path, context, () => files.clean(content)),
  });
}
