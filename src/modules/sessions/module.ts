import type { Module } from "../module.ts";

export const sessionsModule: Module<unknown> = {
  name: "sessions",
  migrations: async () => (await import("./migrations/index.ts")).sessionMigrations,
};
