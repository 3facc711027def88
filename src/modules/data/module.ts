import type { Module } from "../module.ts";

export const dataModule: Module<unknown> = {
  name: "data",
  families: {
    data: {
      collections: { allTaskTools: "all" },
      make: async () => (await import("./index.ts")).dataTools(),
    },
  },
};
