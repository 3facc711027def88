import type { Schema } from "../../db/index.ts";

/** The tables of haft's store. What makes them is loaded only where one is missing. */
export const storeSchema: Schema = {
  version: 30,
  migrations: async () => (await import("./migrations.ts")).listMigrations(),
  probes: ["select folder, waits_until from approval limit 0", "select folder from tool_grant limit 0"],
};
