import type { Tool } from "../../../../kernel/index.ts";
import { memoryAppendTool } from "./memory-append.ts";
import { memoryListTool } from "./memory-list.ts";
import { memoryPatchTool } from "./memory-patch.ts";
import { memoryReadTool } from "./memory-read.ts";
import { memoryWriteTool } from "./memory-write.ts";
import type { MemoryFileServices } from "./services.ts";

/**
 * Makes the tools that list, read and edit memory in Markdown files, which people may edit as well.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const workspace = new Workspace({ undo: new UndoFolder(`${process.cwd()}/undo`) });
 * const memoryFolder = () => `${process.cwd()}/memory`;
 * const files = new MemoryFiles({ store: store.memory, workspace, memoryFolder });
 * memoryFileTools({ files }).some(({ name }) => name === "memory_read"); // → true
 * ```
 */
export function memoryFileTools(services: MemoryFileServices): readonly Tool[] {
  return [
    memoryListTool(services),
    memoryReadTool(services),
    memoryWriteTool(services),
    memoryPatchTool(services),
    memoryAppendTool(services),
  ];
}
