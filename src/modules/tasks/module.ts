import type { Module } from "../module.ts";

/** Work to be done, whoever does it. */
export const tasksModule: Module<unknown> = {
  name: "tasks",
  migrations: async () => (await import("./migrations/index.ts")).taskMigrations,
};
