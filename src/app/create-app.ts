import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf } from "../base/index.ts";
import {
  createConnector,
  Environment,
  fromHome,
  Processes,
  readVariable,
  Sandbox,
  type SandboxLimits,
  UndoFolder,
  Workspace,
} from "../host/index.ts";
import {
  type Approver,
  type CallContext,
  createRedactor,
  type Mode,
  type PackCatalogue,
  type Redactor,
  type Tool,
  ToolExecutor,
  ToolRegistry,
  type ToolSearch,
} from "../kernel/index.ts";
import type { Asker, ServerLogins } from "../mcp/index.ts";
import { compileJsonSchema } from "../schema/index.ts";
import type { AgentFile } from "../sources/index.ts";
import type { Secrets, Store } from "../store/index.ts";
import { Agents } from "./availability/agents.ts";
import type { HaftConfig, Profile, SandboxConfig } from "./config.ts";
import { deferTools, type Family } from "./deferred-tools.ts";
import { embedderKeyOf, openEmbedder } from "./embedding.ts";
import { type Home, passphraseVariable } from "./home.ts";
import { KeptSecrets } from "./kept-secrets.ts";
import { KeptSeenFiles } from "./kept-seen-files.ts";
import { LazyStore } from "./lazy-store.ts";
import { configFileName, type LoadedConfig, loadConfig } from "./load-config.ts";
import { howToAllow } from "./policy/how-to-allow.ts";
import { InstalledMemory, vocabulariesOf } from "./memory/installed-memory.ts";
import { familyOfVocabulary } from "./memory/memory-families.ts";
import { builtInRules, type NumberedRule, rulesInForce } from "./policy/rules-in-force.ts";
import { secretNameOf } from "./secret-settings.ts";
import { type ClientView, type ClientViewOptions, openClientView } from "./selection/client-view.ts";
import { ToolSelection } from "./selection/tool-selection.ts";
import { openSources, type Sources } from "./sources/open-sources.ts";
import type { SourceUse } from "./sources/source-parts.ts";
import { sourcePlaces } from "./sources/source-places.ts";
import { type ToolServices, toolFamilies } from "./tool-families.ts";

export interface AppOptions {
  /** The project folder: where `haft.config.yml` is looked for and relative paths start. */
  readonly folder: string;
  readonly home: Home;
  /** Who can be asked, unless a call brings its own. @default nobody */
  readonly approver?: Approver;
  /** Over the configuration's. */
  readonly profile?: Profile;
  /** Over the configuration's. */
  readonly mode?: Mode;
  /** Who calls, unless a call says so: its lists of tools bind. @default no agent */
  readonly agent?: string;
  /** Take the project's file whole, whatever the user said: to judge calls by it, never to run any. @default false */
  readonly asTrusted?: boolean;
  /** What becomes of that which the user brought: tools in files, MCP servers, hooks. @default "follow" */
  readonly sources?: SourceUse;
  /** Who answers what an MCP server asks in the middle of a call, where no MCP client made it. @default nobody */
  readonly asker?: Asker;
  /** Connect to these MCP servers alone. @default to all that are configured and enabled */
  readonly servers?: readonly string[];
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
  readonly mode: Mode;
  /** In their order, as they are numbered for people. */
  readonly rules: readonly NumberedRule[];
  /** What commands are kept in by. */
  readonly sandbox: Pick<Sandbox, "report">;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** The groups that the tools are in. */
  readonly packs: PackCatalogue;
  /** Finds tools for a goal. Loaded and opened when first asked for. */
  search(): Promise<ToolSearch>;
  /** How one client of the MCP server sees the tools. */
  viewFor(client?: ClientViewOptions): ClientView;
  /** What the user brought: tools in files, MCP servers, hooks. Loads in the background; calls wait for what is in files. */
  readonly sources: Sources;
  readonly memory: InstalledMemory;
  /** What is written down of agents. */
  readonly agents: Agents;
  /** The bounds and the scope every call of this installation has. */
  readonly context: CallContext;
  /** Whatever is stored or read here is taken out of every output from then on. */
  readonly secrets: Omit<Secrets, "reveal">;
  /** Logins to MCP servers, kept beside the secrets. */
  logins(): Promise<ServerLogins>;
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
  const { asTrusted = false } = options;
  const loaded = await loadConfig(home, folder, { variable: readVariable, asTrusted });
  const { tools = {}, permissions = [], shadowPermissions, approvals = {} } = loaded.config;
  const mode = options.mode ?? loaded.config.mode ?? "ask";
  const environment = new Environment({ readable: tools.readableEnv ?? [] });
  const redact = redactorOf(home, environment, loaded.config);
  const store = new LazyStore({
    path: resolve(folder, fromHome(loaded.config.store?.path ?? home.database)),
    ...(loaded.config.store?.durability !== undefined && { durability: loaded.config.store.durability }),
    redact,
    embedder: () => memory.embedder(),
    onMemoryFault: (error) => onError(error),
    secretKeys: async () => {
      const { createSecretKeys } = await import("./secret-keys.ts");
      return createSecretKeys(home, { kind: loaded.config.secrets?.key, variable: readVariable });
    },
  });
  const mayHold = secretsTest(home, loaded.config);
  const onError = (error: unknown) => options.onError?.(withoutSecrets(error, redact));
  const secrets = new KeptSecrets({
    open: async () => (await store.open()).secrets,
    redact,
    mayHold,
    onError,
  });
  const connector = createConnector();
  const memory = new InstalledMemory({
    folder,
    home,
    config: loaded.config,
    store,
    connector,
    secrets,
    redact,
    onError,
  });
  const { sandbox, ...others } = openHands(home, folder, {
    database: store.path,
    memory: memory.folder,
    config: loaded.config,
  });
  const hands = { ...others, connector };
  const profile = options.profile ?? tools.profile ?? "coding";
  const registry = new ToolRegistry({ compile: compileJsonSchema });
  const seen = new KeptSeenFiles(home);
  const selection = new ToolSelection({
    folder,
    registry,
    store: () => store.open(),
    embedder: () => openEmbedder(loaded.config, { ...hands, secrets, redact, folder, home }),
    remembers: tools.search?.usage ?? true,
    servers: () => sources.mcp?.health() ?? [],
    onError,
  });
  registry.registerMany(
    await toolsOf(profile, {
      ...hands,
      environment,
      store,
      seen,
      secrets,
      config: loaded.config,
      selection: selection.services,
      memory,
    }),
  );
  let opened: Promise<ServerLogins> | undefined;
  const logins = () => {
    opened ??= import("./mcp-auth.ts").then(({ createMcpAuth }) =>
      createMcpAuth({
        secrets,
        mayHold,
        learnSecret: redact.learn,
        connector: hands.connector,
        onError,
      }),
    );
    return opened;
  };
  const sources = openSources({
    ...hands,
    folder,
    home,
    loaded,
    registry,
    environment,
    store: () => store.open(),
    secrets,
    learnSecret: (name, value) => redact.learn(name, value),
    redact,
    allowedHosts: tools.allowedHosts ?? [],
    use: options.sources ?? "follow",
    asker: options.asker,
    servers: options.servers,
    auth: async (server) => (await logins()).providers(server),
    onError,
  });
  const agents = new Agents({
    folder,
    home,
    loaded,
    rules: permissions,
    only: options.agent,
    files: () => sources.agentSource?.agents() ?? noAgents,
  });
  const executor = new ToolExecutor(registry, {
    limits: agents.limitsOf,
    rules: builtInRules(permissions),
    mode,
    grants: store.grants,
    approvals: store.approvals,
    ledger: store.ledger,
    artifacts: store.artifacts,
    redact,
    secrets,
    hooks: () => sources.hooks(),
    ready: () => whenBoth(secrets.learn(), sources.ready()),
    onError,
    onSuccess: selection.onSuccess,
    howToAllow: howToAllow(folder),
    ...(approver !== undefined && { approver }),
    ...(shadowPermissions !== undefined && { shadowRules: builtInRules(shadowPermissions) }),
    ...(approvals.wait !== undefined && { approvalTimeoutMs: approvals.wait }),
    ...(approvals.life !== undefined && { approvalLifeMs: approvals.life }),
    ...(tools.timeout !== undefined && { timeoutMs: tools.timeout }),
    ...(tools.maxConcurrent !== undefined && { maxConcurrent: tools.maxConcurrent }),
    ...(tools.maxOutputChars !== undefined && { maxOutputChars: tools.maxOutputChars }),
  });
  const context: CallContext = {
    scope: "local",
    ...(options.agent !== undefined && { agentId: options.agent }),
    allowedPaths: (tools.allowedPaths ?? ["."]).map((path) => resolve(folder, fromHome(path))),
    allowedHosts: tools.allowedHosts ?? [],
  };
  return {
    folder,
    home,
    loaded,
    profile,
    mode,
    rules: rulesInForce(loaded, mode),
    sandbox,
    registry,
    executor,
    packs: selection.packs,
    search: () => selection.search(),
    viewFor: (client) =>
      openClientView({ config: loaded.config, profile, registry, executor, context }, client),
    agents,
    memory,
    context,
    secrets,
    logins,
    sources,
    store: () => store.open(),
    close: async () => {
      await sources.close();
      await selection.close();
      await memory.stop();
      await Promise.all([hands.processes.close(), hands.connector.close()]);
      await store.close();
      await memory.close();
      seen.close();
    },
  };
}

const noAgents: readonly AgentFile[] = [];

/** Undefined where there is nothing to wait for. */
function whenBoth(
  first: Promise<void> | undefined,
  second: Promise<void> | undefined,
): Promise<void> | undefined {
  return first === undefined || second === undefined ? (first ?? second) : first.then(() => second);
}

interface Surroundings {
  readonly database: string;
  /** Of Markdown files: it may lie elsewhere than in haft's own. */
  readonly memory: string;
  readonly config: HaftConfig;
}

/**
 * Of a file that is not there a command finds an empty one. A folder that is not there may become anybody's: what is
 * put in it counts only once its owner has accepted it.
 */
function canBeHeld(path: string): boolean {
  return existsSync(path) || (basename(path).includes(".") && existsSync(dirname(path)));
}

/** The host's hands, with what is haft's own out of their reach. */
function openHands(home: Home, folder: string, { database, memory, config }: Surroundings): Hands {
  const own = [configFileName, ...Object.values(sourcePlaces)].map((place) => join(folder, place));
  const hiddenPaths = [home.folder, memory, ...["", "-wal", "-shm"].map((end) => database + end)];
  const sandbox = new Sandbox({
    hidden: hiddenPaths,
    protected: own.filter(canBeHeld),
    proofFile: home.sandboxProof,
    limits: limitsOf(config.sandbox),
    ...(config.sandbox?.atLeast !== undefined && { atLeast: config.sandbox.atLeast }),
  });
  return {
    workspace: new Workspace({
      undo: new UndoFolder(join(home.folder, "undo")),
      protectedPaths: own,
      hiddenPaths,
    }),
    processes: new Processes({ sandbox }),
    sandbox,
  };
}

type Hands = Pick<ToolServices, "workspace" | "processes"> & { readonly sandbox: Sandbox };

const mebibyte = 1024 ** 2;

function limitsOf({ memory, processes, fileSize, temporary }: SandboxConfig = {}): Partial<SandboxLimits> {
  return {
    ...(memory !== undefined && { memoryBytes: memory * mebibyte }),
    ...(processes !== undefined && { processes }),
    ...(fileSize !== undefined && { fileBytes: fileSize * mebibyte }),
    ...(temporary !== undefined && { temporaryBytes: temporary * mebibyte }),
  };
}

/** The vocabulary of a profile, with what both have. */
const familiesOfProfile: Readonly<Record<Profile, readonly Family[]>> = {
  coding: ["shell", "coding", "undo", "network", "data", "system", "secrets", "calls", "selection"],
  task: ["task", "undo", "network", "data", "system", "secrets", "calls", "selection"],
};

/** Tools whose code is not loaded yet, except where the configuration decides how they present themselves. */
async function toolsOf(profile: Profile, services: ToolServices): Promise<Tool[]> {
  const families = toolFamilies(services);
  const { webSearch, webRead } = services.config.tools ?? {};
  const configured = (family: Family) => family === "network" && (webSearch ?? webRead) !== undefined;
  const tools: Tool[] = [];
  const memory = vocabulariesOf(profile, services.config).map((name) => familyOfVocabulary[name]);
  for (const family of [...familiesOfProfile[profile], ...memory]) {
    const made = configured(family) ? await families[family]() : deferTools(family, families[family]);
    tools.push(...made.map((tool) => ({ ...tool, origin: ownOrigin, pack: packOfFamily[family] })));
  }
  return tools;
}

/** The origin of the tools we ship, for rules. */
const ownOrigin = "haft";

/** The packs of our tools, for rules: both vocabularies of file tools are one. */
const packOfFamily: Readonly<Record<Family, string>> = {
  coding: "files",
  task: "files",
  undo: "files",
  shell: "shell",
  network: "network",
  data: "data",
  system: "system",
  secrets: "secrets",
  calls: "calls",
  selection: "selection",
  memories: "memory",
  blocks: "memory",
  memoryFiles: "memory",
  notes: "memory",
};

/** Knows the secrets of our environment, of the configuration, the tokens that clients and the owner show, and the key of handles. */
function redactorOf(home: Home, environment: Environment, { tools, memory }: HaftConfig): Redactor {
  const secrets = environment.secretValues();
  const own = {
    "web search key": tools?.webSearch?.apiKey,
    "web read key": tools?.webRead?.apiKey,
    "embedder key": embedderKeyOf(tools),
    "memory model key": memory?.model?.apiKey,
  };
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && secretNameOf(value) === undefined) secrets.set(name, value);
  const made = {
    "haft token": home.keptToken(),
    "haft owner token": home.keptOwnerToken(),
    "haft state key": home.keptStateKey(),
    "haft bridge key": home.keptBridgeKey(),
  };
  for (const [name, value] of Object.entries(made)) if (value !== undefined) secrets.set(name, value);
  return createRedactor(secrets);
}

/** Without a key nothing can have been stored, and the store need not be opened to see. Asked at every call. */
function secretsTest(home: Home, { secrets }: HaftConfig): () => boolean {
  if (secrets?.key === "keyring" || readVariable(passphraseVariable)) return () => true;
  const { secretKeys } = home;
  return () => existsSync(secretKeys);
}

function withoutSecrets(error: unknown, redact: Redactor): unknown {
  const message = messageOf(error);
  const clean = redact(message);
  return clean === message ? error : new Error(clean);
}
