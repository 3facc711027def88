import type { Module } from "../module.ts";

export const chainModule: Module<unknown> = {
  name: "chain",
  families: { chain: { pack: "calls", make: async () => (await import("./index.ts")).chainTools() } },
};
