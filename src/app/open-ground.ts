import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { type Connector, createConnector, Environment, fromHome, readVariable } from "../host/index.ts";
import type { Redactor } from "../kernel/index.ts";
import type { OnCancel } from "../modules/ledger/index.ts";
import type { MemoryService } from "../modules/memory/module.ts";
import { AbandonedFiles } from "./abandoned-files.ts";
import type { HaftConfig } from "./config/config-types.ts";
import { type LoadedConfig, loadConfig } from "./config/load-config.ts";
import type { Home } from "./home.ts";
import { LazyStore, type LazyStoreOptions } from "./lazy-store.ts";
import { Models } from "./models/models.ts";
import { type Hands, openHands } from "./open-hands.ts";
import { openMemory } from "./open-memory.ts";
import { KeptSecrets } from "./secrets/kept-secrets.ts";
import type { KnownSecrets } from "./secrets/known-secrets.ts";
import { findOwnSecrets, secretsTest, withoutSecrets } from "./secrets/own-secrets.ts";

export interface GroundOptions {
  readonly folder: string;
  readonly home: Home;
  readonly asTrusted?: boolean;
  /** Begins what was enqueued, where this program does such work. */
  readonly wake: () => void;
  /** Cancels a call of this program, which another one asked for. */
  readonly onCancel: OnCancel;
  readonly onError?: (error: unknown) => void;
}

/** What the tools and the gate of an installation stand on. */
export interface Ground {
  /** Canonical. */
  readonly folder: string;
  readonly home: Home;
  readonly loaded: LoadedConfig;
  readonly environment: Environment;
  readonly redact: Redactor;
  readonly knownSecrets: KnownSecrets;
  readonly store: LazyStore;
  readonly secrets: KeptSecrets;
  /** False: nothing was ever stored in secret, and the store need not be opened to see. */
  readonly mayHold: () => boolean;
  readonly hands: Hands & { readonly connector: Connector };
  readonly memory: MemoryService;
  readonly models: Models;
  /** What killed processes left; removed after the store is opened. */
  readonly abandoned: AbandonedFiles;
  /** Tells the caller of what no result can carry, without secrets. */
  readonly onError: (error: unknown) => void;
}

/** @throws {ConfigError} if the configuration can't be used. */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const { home, asTrusted = false } = options;
  const folder = realpathSync(options.folder);
  const loaded = await loadConfig(home, folder, { variable: readVariable, asTrusted });
  const { config } = loaded;
  const environment = new Environment({ readable: config.tools?.readableEnv ?? [] });
  const knownSecrets = findOwnSecrets(home, environment, config);
  const { redact } = knownSecrets;
  const onError = (error: unknown) => options.onError?.(withoutSecrets(error, redact));
  const abandoned = new AbandonedFiles({ home: home.folder, memory: () => memory.folder });
  const store = openStore(config, {
    folder,
    home,
    redact,
    embedder: () => memory.embedder(),
    onMemoryFault: onError,
    onRecovered: (calls) => abandoned.removeLater(calls),
    onCancel: options.onCancel,
  });
  const mayHold = secretsTest(home, config);
  const open = async () => (await store.open()).secrets;
  const secrets = new KeptSecrets({ open, redact, mayHold, onError });
  const connector = createConnector();
  const models = new Models(config, {
    connector,
    secrets,
    redact,
    ...(onError !== undefined && { onError }),
  });
  const memory = openMemory({
    folder,
    home,
    config,
    store,
    models,
    connector,
    secrets,
    redact,
    wake: () => options.wake(),
    onError,
  });
  const hands = openHands({ folder, home, database: store.path, memory: memory.folder, config });
  return {
    folder,
    home,
    loaded,
    environment,
    redact,
    knownSecrets,
    store,
    secrets,
    mayHold,
    hands: { ...hands, connector },
    memory,
    models,
    abandoned,
    onError,
  };
}

type StoreServices = Pick<
  LazyStoreOptions,
  "redact" | "embedder" | "onMemoryFault" | "onRecovered" | "onCancel"
> & {
  readonly folder: string;
  readonly home: Home;
};

function openStore({ store, secrets }: HaftConfig, { folder, home, ...services }: StoreServices): LazyStore {
  return new LazyStore({
    ...services,
    path: resolve(folder, fromHome(store?.path ?? home.database)),
    ...(store?.durability !== undefined && { durability: store.durability }),
    secretKeys: async () => {
      const { createSecretKeys } = await import("./secrets/secret-keys.ts");
      return createSecretKeys(home, { kind: secrets?.key, variable: readVariable });
    },
  });
}
