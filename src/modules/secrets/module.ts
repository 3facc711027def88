import type { Module } from "../module.ts";
import type { Secrets } from "./store/secrets.ts";

interface SecretPorts {
  readonly secrets: Pick<Secrets, "set" | "list" | "delete">;
}

export const secretsModule: Module<SecretPorts> = {
  name: "secrets",
  migrations: async () => (await import("./migrations/index.ts")).secretMigrations,
  families: {
    secrets: { make: async (ports) => (await import("./tools/index.ts")).secretTools(ports) },
  },
};
