import type { Module } from "../module.ts";

export const scriptModule: Module<unknown> = {
  name: "script",
  families: { script: { pack: "calls", make: async () => (await import("./index.ts")).scriptTools() } },
};
