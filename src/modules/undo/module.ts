import type { Module } from "../module.ts";

export const undoModule: Module<unknown> = {
  name: "undo",
  migrations: async () => (await import("./migrations/index.ts")).undoMigrations,
};
