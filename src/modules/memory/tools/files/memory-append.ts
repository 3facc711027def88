import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { type ChangedFileResult, changeFile, memoryFileEffect } from "./change-file.ts";
import { withEntry, withSummary } from "./memory-text.ts";
import { memoryFilePath } from "./parameters.ts";
import type { MemoryFileServices } from "./services.ts";

const parameters = z.strictObject({
  path: memoryFilePath,
  entry: z.string().min(1).describe("What to add at the end, on lines of its own"),
  summary: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('What the file is about now: sets its "> Summary:" line, which memory_list shows'),
});

export function memoryAppendTool({ files }: MemoryFileServices): Tool {
  return defineTool({
    name: "memory_append",
    title: "Add to a memory file",
    description:
      "Add an entry at the end of a file of long-term memory, which is made if there is none. With summary, also set what memory_list says of the file.",
    category: "memory",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "read the file, and see whether the entry stands at its end",
    effects: ({ path }, context) => memoryFileEffect(files, "write", path, context),
    execute: ({ path, entry, summary }, context): Promise<ChangedFileResult> =>
      changeFile(files, path, context, (former = "") => {
        const text = withEntry(former, files.clean(entry));
        return summary === undefined ? text : withSummary(text, files.clean(summary));
      }),
  });
}
