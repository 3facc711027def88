import type { Workspace } from "../../host/index.ts";
import type { Tool } from "../../kernel/index.ts";
import type { MemoryVocabulary } from "../config/config-types.ts";
import type { InstalledMemory } from "./installed-memory.ts";

/** The family of tools of each vocabulary. */
export const familyOfVocabulary: Readonly<Record<MemoryVocabulary, MemoryFamily>> = {
  memories: "memories",
  blocks: "blocks",
  files: "memoryFiles",
  notes: "notes",
};

export type MemoryFamily = Exclude<MemoryVocabulary, "files"> | "memoryFiles";

/** How the tools of memory are made: all of them work on one memory. */
export function memoryFamilies(
  memory: InstalledMemory,
  { workspace }: { readonly workspace: Workspace },
): Record<MemoryFamily, () => Promise<readonly Tool[]>> {
  return {
    memories: async () => {
      const { store } = await memory.filed();
      const { graph, remembered } = memory;
      return (await import("../../modules/memory/tools/index.ts")).memoriesTools({
        memory: store,
        graph,
        remembered,
      });
    },
    blocks: async () =>
      (await import("../../modules/memory/tools/index.ts")).blockTools({
        memory: (await memory.filed()).store,
      }),
    memoryFiles: async () =>
      (await import("../../modules/memory/tools/index.ts")).memoryFileTools(await memory.filed()),
    notes: async () => {
      const { store, files } = await memory.filed();
      const { project, digest, upkeep } = memory;
      return (await import("../../modules/memory/tools/index.ts")).noteTools({
        memory: store,
        files,
        project,
        workspace,
        upkeep,
        ...(digest !== undefined && { digest }),
      });
    },
  };
}
