import type { Module } from "../module.ts";

export const eventsModule: Module<unknown> = {
  name: "events",
  migrations: async () => (await import("./migrations/index.ts")).eventsMigrations,
};
