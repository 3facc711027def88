import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { findMemoryScope } from "../../store/memory-caller.ts";
import { type ChangedFileResult, changeFile, memoryFileEffect } from "./change-file.ts";
import { memoryPath } from "./memory-path.ts";
import { withReplaced } from "./memory-text.ts";
import { memoryFilePath } from "./parameters.ts";
import type { MemoryFileServices } from "./services.ts";

const parameters = z.strictObject({
  path: memoryFilePath,
  old_str: z.string().min(1).describe("The exact text to replace; it must occur once in the file"),
  new_str: z.string().describe("What takes its place; empty to remove it"),
});

export function memoryPatchTool({ files }: MemoryFileServices): Tool {
  return defineTool({
    name: "memory_patch",
    title: "Change a part of a memory file",
    description:
      "Replace one text in a file of long-term memory. Fails if the text is not there, or more than once: then give more of what surrounds it.",
    category: "memory",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "read the file, and see whether the new text stands in it",
    effects: ({ path }, context) => memoryFileEffect(files, "write", path, context),
    async execute({ path, old_str, new_str }, context): Promise<ChangedFileResult> {
      // Says which files there are, where this one is not.
      await files.folder(findMemoryScope(context)).read(memoryPath(path), context);
      return changeFile(files, path, context, (former = "") =>
        withReplaced(former, old_str, files.clean(new_str), path),
      );
    },
  });
}
