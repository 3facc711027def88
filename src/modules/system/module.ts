import type { Module } from "../module.ts";
import type { SystemServices } from "./system-tools.ts";

export const systemModule: Module<SystemServices> = {
  name: "system",
  families: {
    system: {
      collections: { allTaskTools: "all", mainAgentTools: ["current_time"] },
      make: async (ports) => (await import("./index.ts")).systemTools(ports),
    },
  },
};
