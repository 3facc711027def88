import type { Tool } from "../../../../kernel/index.ts";
import { appendNoteTool } from "./append-note.ts";
import { compactMemoryTool } from "./compact-memory.ts";
import { compareSpecsNotesTool } from "./compare-specs-notes.ts";
import { deleteNoteTool } from "./delete-note.ts";
import { editProjectProfileTool } from "./edit-project-profile.ts";
import { listNotesTool } from "./list-notes.ts";
import { memoryReindexTool } from "./memory-reindex.ts";
import { memorySearchTool } from "./memory-search.ts";
import { memoryStatsTool } from "./memory-stats.ts";
import { promoteNoteTool } from "./promote-note.ts";
import { readNoteTool } from "./read-note.ts";
import { regenerateProfileTool } from "./regenerate-profile.ts";
import type { NoteServices } from "./services.ts";
import { viewProfileTool } from "./view-profile.ts";
import { writeNoteTool } from "./write-note.ts";

/**
 * Makes the tools for the notes and the profile of a project, and for searching all of memory.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const registry = new ToolRegistry();
 * registry.registerMany(noteTools({ memory: store.memory, project: "shop" }));
 * const executor = new ToolExecutor(registry, { rules: [{ decision: "allow" }] });
 * const result = await executor.run("list_notes", {});
 * result.success && result.result; // → { project: "shop", notes: [] }
 * ```
 */
export function noteTools(services: NoteServices): readonly Tool[] {
  const tools = [
    listNotesTool(services),
    readNoteTool(services),
    writeNoteTool(services),
    appendNoteTool(services),
    deleteNoteTool(services),
    promoteNoteTool(services),
    compareSpecsNotesTool(services),
    viewProfileTool(services),
    editProjectProfileTool(services),
    regenerateProfileTool(services),
    memorySearchTool(services),
    memoryStatsTool(services),
    memoryReindexTool(services),
    compactMemoryTool(services),
  ];
  return tools.filter((tool) => tool !== null);
}
