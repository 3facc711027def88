import type { Connector, Environment, Processes, Snapshots, Workspace } from "../host/index.ts";
import type { Tool } from "../kernel/index.ts";
import type { Secrets } from "../store/index.ts";
import type { SelectionServices } from "../tools/index.ts";
import type { HaftConfig } from "./config.ts";
import type { Family } from "./deferred-tools.ts";
import type { KeptSeenFiles } from "./kept-seen-files.ts";
import type { LazyStore } from "./lazy-store.ts";
import type { InstalledMemory } from "./memory/installed-memory.ts";
import { memoryFamilies } from "./memory/memory-families.ts";
import { withSecretSettings } from "./secret-settings.ts";

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

/** How the tools of each family are made. The code of all of them is loaded with the first. */
export function toolFamilies(services: ToolServices): Record<Family, () => Promise<readonly Tool[]>> {
  const { workspace, processes, snapshots, connector, environment, seen, config, secrets } = services;
  const { artifacts, changes } = services.store;
  const { webSearch, webRead } = config.tools ?? {};
  const code = () => import("../tools/index.ts");
  const fileServices = { workspace, artifacts, changes, seen, ...(snapshots && { snapshots }) };
  const files = once(async () => (await code()).fileTools(fileServices));
  return {
    shell: async () => {
      const { commandUndo, shellTools } = await code();
      const undo = commandUndo(fileServices);
      return shellTools({ processes, workspace, environment, connector, ...(undo && { undo }) });
    },
    coding: async () => (await files()).coding,
    task: async () => (await files()).task,
    queue: async () => (await files()).queue,
    undo: async () => [(await files()).undo],
    network: async () => {
      const { networkTools } = await code();
      const options = {
        ...(webSearch !== undefined && { webSearch }),
        ...(webRead !== undefined && { webRead }),
      };
      return withSecretSettings(options, (filled) => networkTools({ connector, options: filled }));
    },
    data: async () => (await code()).dataTools(),
    system: async () => (await code()).systemTools({ environment, artifacts }),
    secrets: async () => (await code()).secretTools({ secrets }),
    calls: async () => [...(await code()).chainTools(), ...(await code()).scriptTools()],
    selection: async () => (await code()).selectionTools(services.selection),
    ...memoryFamilies(services.memory, { workspace }),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
