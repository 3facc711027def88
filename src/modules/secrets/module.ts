import type { Module } from "../module.ts";
import type { SecretServices } from "./tools/secret-tools.ts";

export const secretsModule: Module<SecretServices> = {
  name: "secrets",
  migrations: async () => (await import("./migrations/index.ts")).secretMigrations,
  families: {
    secrets: { make: async (ports) => (await import("./tools/index.ts")).secretTools(ports) },
  },
};
