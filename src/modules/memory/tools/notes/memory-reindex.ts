import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { findMemoryScope } from "../../store/memory-caller.ts";
import { projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId });

interface Reindexed {
  /** Memory files that were read again; absent where there are none. */
  readonly files?: number;
  /** Entries that were indexed again; absent where the store needs no such thing. */
  readonly entries?: number;
  readonly note?: string;
}

export function memoryReindexTool(services: NoteServices): Tool {
  return defineTool({
    name: "memory_reindex",
    title: "Build the index of memory anew",
    description:
      "Read all memory files again and build the index of the search anew, for all projects. The index follows every change by itself: this is for when it seems wrong.",
    category: "memory",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    timeoutMs: 300_000,
    effects: () => [{ kind: "write", target: "memory", within: true }],
    async execute(_params, context): Promise<Reindexed> {
      const scope = findMemoryScope(context);
      const files = await services.files?.reindex(scope, context.signal);
      const entries = await services.upkeep?.reindex(scope, context.signal);
      const note = "the index of words changes with every entry, so it needs no building anew";
      return {
        ...(files !== undefined && { files: files.length }),
        ...(entries === undefined ? { note } : { entries }),
      };
    },
  });
}
