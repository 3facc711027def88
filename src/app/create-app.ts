import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import {
  createConnector,
  Environment,
  Processes,
  readVariable,
  UndoFolder,
  Workspace,
} from "../host/index.ts";
import {
  type Approver,
  type CallContext,
  createRedactor,
  defaultRules,
  type Redact,
  type Tool,
  ToolExecutor,
  ToolRegistry,
} from "../kernel/index.ts";
import { compileJsonSchema } from "../schema/index.ts";
import type { Store } from "../store/index.ts";
import {
  dataTools,
  fileTools,
  networkTools,
  sensitiveFileRules,
  shellTools,
  systemTools,
} from "../tools/index.ts";
import type { HaftConfig } from "./config.ts";
import type { Home } from "./home.ts";
import { KeptSeenFiles } from "./kept-seen-files.ts";
import { LazyStore } from "./lazy-store.ts";
import { configFileName, type LoadedConfig, loadConfig } from "./load-config.ts";

export interface AppOptions {
  /** The project folder: where `haft.config.yml` is looked for and relative paths start. */
  readonly folder: string;
  readonly home: Home;
  /** Who can be asked, unless a call brings its own. @default nobody */
  readonly approver?: Approver;
  /** Over the configuration's. */
  readonly profile?: Profile;
  /** Told of what no result can carry. */
  readonly onError?: (error: unknown) => void;
}

/** A vocabulary of tools: one name for each ability. */
export type Profile = "coding" | "task";

/** One installation, put together: the tools, the gate and the store of one project folder. */
export interface App {
  /** Canonical. */
  readonly folder: string;
  readonly home: Home;
  readonly loaded: LoadedConfig;
  readonly profile: Profile;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** The bounds and the scope every call of this installation has. */
  readonly context: CallContext;
  /** Opened at the first call, or when first asked for. */
  store(): Promise<Store>;
  /** Ends what runs, closes what is open. */
  close(): Promise<void>;
}

/**
 * Puts an installation together.
 *
 * @throws {ConfigError} if its configuration can't be used.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { home, approver, onError } = options;
  const folder = realpathSync(options.folder);
  const loaded = await loadConfig(home, folder, readVariable);
  const { tools = {}, permissions = [] } = loaded.config;
  const environment = new Environment({ readable: tools.readableEnv ?? [] });
  const redact = redactorOf(home, environment, loaded.config);
  const store = new LazyStore({
    path: resolve(folder, withHome(loaded.config.store?.path ?? home.database)),
    ...(loaded.config.store?.durability !== undefined && { durability: loaded.config.store.durability }),
    redact,
  });
  const hands = openHands(home, folder, store.path);
  const profile = options.profile ?? tools.profile ?? "coding";
  const registry = new ToolRegistry({ compile: compileJsonSchema });
  const seen = new KeptSeenFiles(home);
  registry.registerMany(toolsOf(profile, { ...hands, environment, store, seen, config: loaded.config }));
  const executor = new ToolExecutor(registry, {
    rules: [...defaultRules, ...sensitiveFileRules, ...permissions],
    grants: store.grants,
    ledger: store.ledger,
    artifacts: store.artifacts,
    redact,
    howToAllow: howToAllow(folder, loaded),
    ...(approver !== undefined && { approver }),
    ...(tools.timeout !== undefined && { timeoutMs: tools.timeout }),
    ...(tools.maxConcurrent !== undefined && { maxConcurrent: tools.maxConcurrent }),
    ...(tools.maxOutputChars !== undefined && { maxOutputChars: tools.maxOutputChars }),
    ...(onError !== undefined && { onError }),
  });
  return {
    folder,
    home,
    loaded,
    profile,
    registry,
    executor,
    context: {
      scope: "local",
      allowedPaths: (tools.allowedPaths ?? ["."]).map((path) => resolve(folder, withHome(path))),
      allowedHosts: tools.allowedHosts ?? [],
    },
    store: () => store.open(),
    close: async () => {
      await Promise.all([hands.processes.close(), hands.connector.close()]);
      await store.close();
      seen.close();
    },
  };
}

/** The host's hands, with what is haft's own out of their reach. */
function openHands(home: Home, folder: string, database: string): Hands {
  return {
    workspace: new Workspace({
      undo: new UndoFolder(join(home.folder, "undo")),
      protectedPaths: [join(folder, configFileName)],
      hiddenPaths: [home.folder, ...["", "-wal", "-shm"].map((end) => database + end)],
    }),
    processes: new Processes(),
    connector: createConnector(),
  };
}

interface Hands {
  readonly workspace: Workspace;
  readonly processes: Processes;
  readonly connector: ReturnType<typeof createConnector>;
}

interface Services extends Hands {
  readonly environment: Environment;
  readonly store: LazyStore;
  readonly seen: KeptSeenFiles;
  readonly config: HaftConfig;
}

function toolsOf(profile: Profile, services: Services): Tool[] {
  const { workspace, processes, connector, environment, store, seen, config } = services;
  const { artifacts, changes } = store;
  const { webSearch, webRead } = config.tools ?? {};
  const files = fileTools({ workspace, artifacts, changes, seen });
  return [
    ...(profile === "coding" ? shellTools({ processes, workspace, environment }) : []),
    ...files[profile],
    files.undo,
    ...networkTools({
      connector,
      options: { ...(webSearch !== undefined && { webSearch }), ...(webRead !== undefined && { webRead }) },
    }),
    ...dataTools(),
    ...systemTools({ environment, artifacts }),
  ];
}

/** Knows the secrets of our environment, of the configuration, and the token that clients show. */
function redactorOf(home: Home, environment: Environment, { tools }: HaftConfig): Redact {
  const secrets = environment.secretValues();
  const own = { "web search key": tools?.webSearch?.apiKey, "web read key": tools?.webRead?.apiKey };
  for (const [name, value] of Object.entries(own)) if (value !== undefined) secrets.set(name, value);
  const token = home.keptToken();
  if (token !== undefined) secrets.set("haft token", token);
  return createRedactor(secrets);
}

function howToAllow(folder: string, { trusted }: LoadedConfig): string {
  const file = join(folder, configFileName);
  const trust = trusted ? "" : " and run `haft trust` there";
  return `to allow it, add a rule such as "- { decision: allow, tool: NAME }" to permissions in ${file}${trust}, or call it with \`haft call\` at a terminal, which asks`;
}

function withHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
