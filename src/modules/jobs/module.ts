import type { Module } from "../module.ts";

export const jobsModule: Module<unknown> = {
  name: "jobs",
  migrations: async () => (await import("./migrations/index.ts")).jobMigrations,
};
