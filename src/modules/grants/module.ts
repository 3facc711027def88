import type { Module } from "../module.ts";

export const grantsModule: Module<unknown> = {
  name: "grants",
  migrations: async () => (await import("./migrations/index.ts")).grantMigrations,
};
