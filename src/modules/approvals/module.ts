import type { Module } from "../module.ts";

export const approvalsModule: Module<unknown> = {
  name: "approvals",
  migrations: async () => (await import("./migrations/index.ts")).approvalMigrations,
};
