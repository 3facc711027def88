import { join, resolve } from "node:path";
import { fromHome } from "../host/index.ts";
import { MemoryService } from "../modules/memory/module.ts";
import type { HaftConfig } from "./config/config-types.ts";
import { openEmbedder } from "./embedding.ts";
import type { Home } from "./home.ts";
import type { LazyStore } from "./lazy-store.ts";
import { memoryModelOpener } from "./models/memory-model.ts";
import type { ModelServices, Models } from "./models/models.ts";
import { makeProjectId } from "./project-id.ts";

interface MemoryGround extends ModelServices {
  /** The project folder. */
  readonly folder: string;
  readonly home: Home;
  readonly config: HaftConfig;
  readonly store: LazyStore;
  readonly models: Models;
  /** Begins what was enqueued, where this program does such work. */
  readonly wake: () => void;
  readonly onError: (error: unknown) => void;
}

/** The memory of one installation, as its configuration has it. */
export function openMemory({
  config,
  store,
  models,
  wake,
  onError,
  ...services
}: MemoryGround): MemoryService {
  const { folder, home, redact } = services;
  const { memory = {} } = config;
  return new MemoryService({
    folder: resolve(folder, fromHome(memory.folder ?? join(home.folder, "memory"))),
    project: memory.project ?? makeProjectId(folder),
    undoFolder: join(home.folder, "memory-undo"),
    store,
    embedder: () => openEmbedder(config, services),
    model: memoryModelOpener(config, models, {
      ...services,
      usage: async () => (await store.open()).usage,
    }),
    redact,
    wake,
    onError,
  });
}
