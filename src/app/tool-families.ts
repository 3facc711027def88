import { lazy } from "../base/index.ts";
import type { Connector, Environment, Processes, Snapshots, Workspace } from "../host/index.ts";
import type { Tool } from "../kernel/index.ts";
import type { SelectionServices } from "../modules/finding/tools/index.ts";
import type { Secrets } from "../modules/secrets/index.ts";
import type { HaftConfig } from "./config/config-types.ts";
import type { Family } from "./deferred-tools.ts";
import type { KeptSeenFiles } from "./kept-seen-files.ts";
import type { LazyStore } from "./lazy-store.ts";
import type { InstalledMemory } from "./memory/installed-memory.ts";
import { memoryFamilies } from "./memory/memory-families.ts";
import { withSecretSettings } from "./secrets/secret-settings.ts";

/** What the tools we ship are made of. */
export interface ToolServices {
  readonly workspace: Workspace;
  readonly processes: Processes;
  readonly snapshots?: Snapshots | undefined;
  readonly connector: Connector;
  readonly environment: Environment;
  readonly store: Pick<LazyStore, "artifacts" | "changes">;
  readonly seen: KeptSeenFiles;
  readonly config: HaftConfig;
  readonly secrets: Pick<Secrets, "set" | "list" | "delete">;
  readonly selection: SelectionServices;
  readonly memory: InstalledMemory;
}

/** How the tools of each family are made. The code of a family is loaded with its first tool. */
export function toolFamilies(services: ToolServices): Record<Family, () => Promise<readonly Tool[]>> {
  const { workspace, processes, snapshots, connector, environment, seen, config, secrets } = services;
  const { artifacts, changes } = services.store;
  const { webSearch, webRead } = config.tools ?? {};
  const fileServices = { workspace, artifacts, changes, seen, ...(snapshots && { snapshots }) };
  const files = lazy(async () => (await import("../modules/files/index.ts")).fileTools(fileServices));
  return {
    shell: async () => {
      const { commandUndo } = await import("../modules/files/index.ts");
      const { shellTools } = await import("../modules/shell/index.ts");
      const undo = commandUndo(fileServices);
      return shellTools({ processes, workspace, environment, connector, ...(undo && { undo }) });
    },
    coding: async () => (await files()).coding,
    task: async () => (await files()).task,
    queue: async () => (await files()).queue,
    undo: async () => [(await files()).undo],
    network: async () => {
      const { networkTools } = await import("../modules/web/index.ts");
      const options = {
        ...(webSearch !== undefined && { webSearch }),
        ...(webRead !== undefined && { webRead }),
      };
      return withSecretSettings(options, (filled) => networkTools({ connector, options: filled }));
    },
    data: async () => (await import("../modules/data/index.ts")).dataTools(),
    system: async () => (await import("../modules/system/index.ts")).systemTools({ environment, artifacts }),
    secrets: async () => (await import("../modules/secrets/tools/index.ts")).secretTools({ secrets }),
    calls: async () => [
      ...(await import("../modules/chain/index.ts")).chainTools(),
      ...(await import("../modules/script/index.ts")).scriptTools(),
    ],
    selection: async () =>
      (await import("../modules/finding/tools/index.ts")).selectionTools(services.selection),
    ...memoryFamilies(services.memory, { workspace }),
  };
}
