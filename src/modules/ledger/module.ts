import type { Module } from "../module.ts";

export const ledgerModule: Module<unknown> = {
  name: "ledger",
  migrations: async () => (await import("./migrations/index.ts")).ledgerMigrations,
};
