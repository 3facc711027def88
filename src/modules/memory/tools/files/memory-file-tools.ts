import type { Tool } from "../../../../kernel/index.ts";
import { memoryAppendTool } from "./memory-append.ts";
import { memoryListTool } from "./memory-list.ts";
import { memoryPatchTool } from "./memory-patch.ts";
import { memoryReadTool } from "./memory-read.ts";
import { memoryWriteTool } from "./memory-write.ts";
import type { MemoryFileServices } from "./services.ts";

/** The vocabulary of files: Markdown files that people may read and edit as well. */
export function memoryFileTools(services: MemoryFileServices): readonly Tool[] {
  return [
    memoryListTool(services),
    memoryReadTool(services),
    memoryWriteTool(services),
    memoryPatchTool(services),
    memoryAppendTool(services),
  ];
}
