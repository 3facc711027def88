import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { messageOf } from "../base/index.ts";
import {
  createConnector,
  Environment,
  Processes,
  readVariable,
  secretFileRules,
  UndoFolder,
  Workspace,
} from "../host/index.ts";
import {
  type Approver,
  type CallContext,
  createRedactor,
  defaultRules,
  type Redactor,
  type Tool,
  ToolExecutor,
  ToolRegistry,
  type Verdict,
} from "../kernel/index.ts";
import { compileJsonSchema } from "../schema/index.ts";
import type { Secrets, Store } from "../store/index.ts";
import type { HaftConfig, Profile } from "./config.ts";
import { deferTools, type Family } from "./deferred-tools.ts";
import { type Home, passphraseVariable } from "./home.ts";
import { KeptSeenFiles } from "./kept-seen-files.ts";
import { LazyStore } from "./lazy-store.ts";
import { KeptSecrets } from "./kept-secrets.ts";
import { configFileName, type LoadedConfig, loadConfig } from "./load-config.ts";
import { secretNameOf } from "./secret-settings.ts";
import { type ToolServices, toolFamilies } from "./tool-families.ts";

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
  /** Whatever is stored or read here is taken out of every output from then on. */
  readonly secrets: Omit<Secrets, "reveal">;
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
  const { home, approver } = options;
  const folder = realpathSync(options.folder);
  const loaded = await loadConfig(home, folder, readVariable);
  const { tools = {}, permissions = [] } = loaded.config;
  const environment = new Environment({ readable: tools.readableEnv ?? [] });
  const redact = redactorOf(home, environment, loaded.config);
  const store = new LazyStore({
    path: resolve(folder, withHome(loaded.config.store?.path ?? home.database)),
    ...(loaded.config.store?.durability !== undefined && { durability: loaded.config.store.durability }),
    redact,
    secretKeys: async () => {
      const { createSecretKeys } = await import("./secret-keys.ts");
      return createSecretKeys(home, { kind: loaded.config.secrets?.key, variable: readVariable });
    },
  });
  const onError = (error: unknown) => options.onError?.(withoutSecrets(error, redact));
  const secrets = new KeptSecrets({
    open: async () => (await store.open()).secrets,
    redact,
    mayHold: () => mayHoldSecrets(home, loaded.config),
    onError,
  });
  const hands = openHands(home, folder, store.path);
  const profile = options.profile ?? tools.profile ?? "coding";
  const registry = new ToolRegistry({ compile: compileJsonSchema });
  const seen = new KeptSeenFiles(home);
  registry.registerMany(
    await toolsOf(profile, { ...hands, environment, store, seen, secrets, config: loaded.config }),
  );
  const executor = new ToolExecutor(registry, {
    rules: [...defaultRules, ...secretFileRules, ...permissions],
    grants: store.grants,
    ledger: store.ledger,
    artifacts: store.artifacts,
    redact,
    secrets,
    ready: () => secrets.learn(),
    onError,
    howToAllow: howToAllow(folder),
    ...(approver !== undefined && { approver }),
    ...(tools.timeout !== undefined && { timeoutMs: tools.timeout }),
    ...(tools.maxConcurrent !== undefined && { maxConcurrent: tools.maxConcurrent }),
    ...(tools.maxOutputChars !== undefined && { maxOutputChars: tools.maxOutputChars }),
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
    secrets,
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

type Hands = Pick<ToolServices, "workspace" | "processes" | "connector">;

/** The vocabulary of a profile, with what both have. */
const familiesOfProfile: Readonly<Record<Profile, readonly Family[]>> = {
  coding: ["shell", "coding", "undo", "network", "data", "system", "secrets"],
  task: ["task", "undo", "network", "data", "system", "secrets"],
};

/** Tools whose code is not loaded yet, except where the configuration decides how they present themselves. */
async function toolsOf(profile: Profile, services: ToolServices): Promise<Tool[]> {
  const families = toolFamilies(services);
  const { webSearch, webRead } = services.config.tools ?? {};
  const configured = (family: Family) => family === "network" && (webSearch ?? webRead) !== undefined;
  const tools: (readonly Tool[])[] = [];
  for (const family of familiesOfProfile[profile]) {
    tools.push(configured(family) ? await families[family]() : deferTools(family, families[family]));
  }
  return tools.flat();
}

/** Knows the secrets of our environment, of the configuration, and the token that clients show. */
function redactorOf(home: Home, environment: Environment, { tools }: HaftConfig): Redactor {
  const secrets = environment.secretValues();
  const own = { "web search key": tools?.webSearch?.apiKey, "web read key": tools?.webRead?.apiKey };
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && secretNameOf(value) === undefined) secrets.set(name, value);
  const token = home.keptToken();
  if (token !== undefined) secrets.set("haft token", token);
  return createRedactor(secrets);
}

/** Without a key nothing can have been stored, and the store need not be opened to see. */
function mayHoldSecrets(home: Home, { secrets }: HaftConfig): boolean {
  return (
    secrets?.key === "keyring" || Boolean(readVariable(passphraseVariable)) || existsSync(home.secretKeys)
  );
}

function withoutSecrets(error: unknown, redact: Redactor): unknown {
  const message = messageOf(error);
  const clean = redact(message);
  return clean === message ? error : new Error(clean);
}

/** The narrowest rule that would do; where a rule asks, no other rule can say yes. */
function howToAllow(folder: string): (toolName: string, verdict: Verdict) => string {
  return (toolName, { rule, effects }) => {
    const atTerminal = `call it with \`haft call ${toolName}\` at a terminal, which asks`;
    if (rule !== undefined) return `a rule asks here, which no other rule undoes: ${atTerminal}`;
    const [effect] = effects;
    const target =
      effect === undefined || effect.opaque === true ? "" : `, target: ${JSON.stringify(effect.target)}`;
    const file = join(folder, configFileName);
    return `to allow it, add - { decision: allow, tool: ${toolName}${target} } to permissions in ${file} and run \`haft trust\` there, or ${atTerminal}`;
  };
}

function withHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
