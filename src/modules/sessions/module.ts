import type { Module } from "../module.ts";

export const sessionsModule: Module<unknown> = {
  name: "sessions",
  collections: { mainAgentTools: ["session_archive_read"], sessionTools: ["session_archive_read"] },
  migrations: async () => (await import("./migrations/index.ts")).sessionMigrations,
};
