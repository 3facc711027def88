import type { Module } from "../module.ts";

export const artifactsModule: Module<unknown> = {
  name: "artifacts",
  migrations: async () => (await import("./migrations/index.ts")).artifactMigrations,
};
