import type { Module } from "../module.ts";
import type { Usage } from "./store/usage.ts";

interface UsagePorts {
  readonly usage: Usage;
}

export const usageModule: Module<UsagePorts> = {
  name: "usage",
  migrations: async () => (await import("./migrations/index.ts")).usageMigrations,
  families: {
    usage: {
      profiles: ["coding", "task", "full"],
      make: async (ports) => (await import("./tools/index.ts")).usageTools(ports),
    },
    tokenUsage: {
      profiles: ["queue"],
      make: async (ports) => (await import("./tools/index.ts")).tokenUsageTools(ports),
    },
  },
};
