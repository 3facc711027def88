import type { Module } from "../module.ts";
import type { SelectionServices } from "./tools/services.ts";

interface FindingPorts {
  readonly selection: SelectionServices;
}

export const findingModule: Module<FindingPorts> = {
  name: "finding",
  migrations: async () => (await import("./migrations/index.ts")).findingMigrations,
  families: {
    selection: {
      pack: "selection",
      make: async ({ selection }) => (await import("./tools/index.ts")).selectionTools(selection),
    },
  },
};
