import type { Workspace } from "../../host/index.ts";
import type { Module } from "../module.ts";
import type { MemoryService } from "./memory-service.ts";
import { memorySettings } from "./settings.ts";

interface MemoryPorts {
  readonly memory: MemoryService;
  readonly workspace: Workspace;
  readonly settings: { readonly memory?: { readonly vocabularies?: readonly string[] } };
}

/** Chosen by the name that `memory.vocabularies` has for the family. */
const chosenAs =
  (vocabulary: string) =>
  ({ settings }: MemoryPorts) =>
    settings.memory?.vocabularies?.includes(vocabulary);

const changers = ["memory_write", "memory_patch", "memory_append"];

/** All families work on one memory; usually an agent sees one of them. */
export const memoryModule: Module<MemoryPorts> = {
  name: "memory",
  migrations: async () => (await import("./migrations/index.ts")).memoryMigrations,
  jobs: async ({ memory }) => (await memory.jobs()).handlers,
  settings: { memory: memorySettings },
  families: {
    memories: {
      isChosen: chosenAs("memories"),
      profiles: ["coding", "full"],
      collections: { reflectionTools: ["memory_recall", "memory_store"] },
      make: async ({ memory }) => {
        const { memoriesTools } = await import("./tools/index.ts");
        const { graph, remembered } = memory;
        return memoriesTools({ memory: (await memory.filed()).store, graph, remembered });
      },
    },
    blocks: {
      isChosen: chosenAs("blocks"),
      profiles: [],
      collections: { reflectionTools: ["block", "search"] },
      make: async ({ memory }) => {
        const { blockTools } = await import("./tools/index.ts");
        return blockTools({ memory: (await memory.filed()).store });
      },
    },
    memoryFiles: {
      isChosen: chosenAs("files"),
      profiles: ["task"],
      collections: {
        allTaskTools: "all",
        mainAgentTools: ["memory_list", "memory_read"],
        // Whoever reflects is given the list of the memory at the start.
        reflectionTools: ["memory_read", ...changers],
      },
      make: async ({ memory }) => {
        const { memoryFileTools } = await import("./tools/index.ts");
        return memoryFileTools(await memory.filed());
      },
    },
    notes: {
      isChosen: chosenAs("notes"),
      profiles: ["queue"],
      collections: { reflectionTools: ["read_note", "write_note", "append_note", "memory_search"] },
      make: async ({ memory, workspace }) => {
        const { noteTools } = await import("./tools/index.ts");
        const { store, files } = await memory.filed();
        const { project, digest, upkeep } = memory;
        return noteTools({ memory: store, files, project, workspace, upkeep, digest });
      },
    },
  },
};

export { MemoryService } from "./memory-service.ts";
