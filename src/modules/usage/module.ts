import type { Module } from "../module.ts";

export const usageModule: Module<unknown> = {
  name: "usage",
  migrations: async () => (await import("./migrations/index.ts")).usageMigrations,
};
