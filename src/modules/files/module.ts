import type { Module } from "../module.ts";
import type { FileServices } from "./services.ts";

const load = async (ports: FileServices) => (await import("./index.ts")).fileTools(ports);
const collections = { allTaskTools: "all" } as const;

export const filesModule: Module<FileServices> = {
  name: "files",
  families: {
    coding: {
      profiles: ["coding"],
      collections,
      make: async (ports) => (await load(ports)).coding,
    },
    // Its read_file comes before that of `task`.
    queue: {
      profiles: ["queue"],
      collections,
      make: async (ports) => (await load(ports)).queue,
    },
    task: {
      profiles: ["task", "full", "queue"],
      collections,
      make: async (ports) => (await load(ports)).task,
    },
    undo: { collections, make: async (ports) => [(await load(ports)).undo] },
  },
};
