import { resolve } from "node:path";
import { lazy, lazyPort } from "../base/index.ts";
import { toTargetTool } from "../formats/index.ts";
import { fromHome, type Sandbox } from "../host/index.ts";
import {
  type Approver,
  type CallContext,
  type ExecutorOptions,
  type Mode,
  type Redact,
  ToolExecutor,
  ToolRegistry,
} from "../kernel/index.ts";
import type { Asker, ServerLogins } from "../mcp/index.ts";
import type { AskedChange } from "../modules/files/index.ts";
import type { MemoryService } from "../modules/memory/module.ts";
import type { Secrets } from "../modules/secrets/index.ts";
import type { Sessions } from "../modules/sessions/index.ts";
import type { TaskDesk } from "../modules/tasks/index.ts";
import { compileJsonSchema } from "../schema/index.ts";
import type { PackCatalogue, ToolSearch } from "../search/index.ts";
import type { AgentFile, ExtensionLog } from "../sources/index.ts";
import type { AgentHost } from "./agent/agent-host.ts";
import { Agents } from "./availability/agents.ts";
import { Background } from "./background.ts";
import type { HaftConfig, Profile } from "./config/config-types.ts";
import type { LoadedConfig } from "./config/load-config.ts";
import { openEmbedder } from "./embedding.ts";
import type { Home } from "./home.ts";
import { KeptSeenFiles } from "./kept-seen-files.ts";
import type { Models } from "./models/models.ts";
import { type Ground, openGround } from "./open-ground.ts";
import { listOwnTools } from "./own-tools.ts";
import { howToAllow } from "./policy/how-to-allow.ts";
import { builtInRules, type NumberedRule, rulesInForce } from "./policy/rules-in-force.ts";
import { withWatchingHint } from "./policy/watching-hint.ts";
import { LazyRecords } from "./records/lazy-records.ts";
import type { Records } from "./records/records.ts";
import {
  type ClientView,
  type ClientViewOptions,
  openClientView,
  writtenGoal,
} from "./selection/client-view.ts";
import { type GoalPacks, packsForGoal } from "./selection/goal-packs.ts";
import { ToolSelection } from "./selection/tool-selection.ts";
import { openSources, type Sources } from "./sources/open-sources.ts";
import type { SourceUse } from "./sources/source-parts.ts";
import type { Store } from "./store/open-store.ts";

/** Which project an installation is put together for, and how. Only `folder` and `home` have to be said. */
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
  /** Told of what extensions print with `console`, without known secrets. @default nobody is */
  readonly onLog?: (entry: ExtensionLog) => void;
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
  /** The rules in their order, as they are numbered for people. */
  readonly rules: readonly NumberedRule[];
  /** What commands are kept in by. */
  readonly sandbox: Pick<Sandbox, "report">;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** The same gate for tools of another profile, which agents of this installation have not: for what a person does. */
  findExecutor(profile: Profile): Promise<ToolExecutor>;
  /** The groups that the tools are in. */
  readonly packs: PackCatalogue;
  /** Finds tools for a goal. Loaded and opened when first asked for. */
  search(): Promise<ToolSearch>;
  /** How one client of the MCP server sees the tools. */
  viewFor(client?: ClientViewOptions): ClientView;
  /**
   * The same for what the client is for, or else what is written down of that: the nearest packs are in its list. Waits
   * until the tools can be listed; without any goal for nothing.
   */
  viewForGoal(goal: string | undefined, client?: ClientViewOptions): Promise<ClientView>;
  /**
   * The packs that a list of tools for a goal should have, such as the first message to an agent.
   *
   * @param before Names of the tools that were selected for earlier goals of the same list.
   */
  packsFor(goal: string, context?: CallContext, before?: readonly string[]): Promise<GoalPacks>;
  /** What the user brought: tools in files, MCP servers, hooks. Loads in the background; calls wait for what is in files. */
  readonly sources: Sources;
  readonly memory: MemoryService;
  /** The language models of the configuration. Nothing is loaded before one is asked for. */
  readonly models: Models;
  /** Agents at work: loaded when first asked for. */
  agent(): Promise<AgentHost>;
  /** What is done without being asked. Programs that stay start it. */
  readonly background: Background;
  /** What is written down of agents. */
  readonly agents: Agents;
  /** The bounds and the scope every call of this installation has. */
  readonly context: CallContext;
  /** Whatever is stored or read here is taken out of every output from then on. */
  readonly secrets: Omit<Secrets, "reveal">;
  /** Logins to MCP servers, kept beside the secrets. */
  logins(): Promise<ServerLogins>;
  /** Takes known secrets out of a text. */
  readonly redact: Redact;
  /** Opened at the first call, or when first asked for. */
  store(): Promise<Store>;
  /**
   * The change of a file that a question is about, as a unified diff; nothing is written. Undefined if it is about no
   * change of a text file.
   */
  previewChange(asked: AskedChange, signal: AbortSignal): Promise<string | undefined>;
  /** Reads of what is recorded, on a thread of their own. Nothing is started before the first. */
  records(): Promise<Records>;
  /** Ends what runs, closes what is open. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens an installation: reads its configuration and puts tools, gate and store together. What users bring loads in the
 * background. Close it, or use `await using`.
 *
 * @throws {ConfigError} if its configuration can't be used.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * writeFileSync("notes.txt", "Buy milk.");
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/.home`) });
 * const { text } = await app.executor.run("read", { path: "notes.txt" }, app.context);
 * text.includes("Buy milk."); // → true
 * ```
 */
export async function createApp(options: AppOptions): Promise<App> {
  const gates: ToolExecutor[] = [];
  const ground = await openGround({
    ...options,
    wake: () => background.wake(),
    onCancel: (callId, by) => gates.some((one) => one.cancel(callId, by)),
  });
  const {
    folder,
    home,
    loaded,
    environment,
    redact,
    onError,
    store,
    secrets,
    hands,
    memory,
    models,
    abandoned,
  } = ground;
  const { tools = {}, permissions = [] } = loaded.config;
  const mode = options.mode ?? loaded.config.mode ?? "ask";
  const profile = options.profile ?? tools.profile ?? "coding";
  const registry = new ToolRegistry({ compile: compileJsonSchema, format: toTargetTool });
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
  const ports = {
    ...hands,
    environment,
    artifacts: store.artifacts,
    changes: store.changes,
    seen,
    secrets,
    settings: loaded.config,
    selection: selection.services,
    memory,
    usage: store.usage,
    sessions: lazyPort<Sessions>(async () => (await store.open()).sessions),
    taskDesk: lazyPort<TaskDesk>(
      lazy(async () => {
        const { AppTaskDesk } = await import("./tasks/task-desk.ts");
        return new AppTaskDesk({
          folder,
          mode,
          loaded,
          store: () => store.open(),
          agent: () => app.agent(),
          wake: () => background.wake(),
        });
      }),
    ),
    tasks: store.tasks,
    todos: store.todos,
    untrustedFiles: () => store.untrustedFiles(),
    stopRun: async (scope: string, runId: string, why: string) => {
      const { stopRun } = await import("./tasks/stop-run.ts");
      return stopRun({ store: await store.open(), agent: () => app.agent() }, { scope, runId, why });
    },
  };
  const ownTools = await listOwnTools(profile, ports);
  registry.registerMany(ownTools);
  const background = new Background({
    store,
    ports,
    sandbox: hands.sandbox,
    work: [
      {
        name: "agent",
        atOnce: 5,
        open: async () => (await import("./agent/run-jobs.ts")).runJobs(app),
      },
      {
        name: "reflection",
        // One after the other, so that the limit of the hour holds.
        atOnce: 1,
        open: async () => (await import("./reflection/index.ts")).reflectJobs(app),
      },
      {
        name: "conversations",
        atOnce: 1,
        open: async () => (await import("./agent/record-turns.ts")).recordJobs(app),
      },
    ],
    onError,
  });
  const logins = laterLogins(ground);
  const sources = openSources({
    ...hands,
    folder,
    home,
    loaded,
    registry,
    environment,
    store: () => store.open(),
    journal: { artifacts: store.artifacts, changes: store.changes },
    secrets,
    learnSecret: (name, value) => redact.learn(name, value),
    redact,
    allowedHosts: tools.allowedHosts ?? [],
    use: options.sources ?? "follow",
    asker: options.asker,
    servers: options.servers,
    onLog: options.onLog,
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
  const gate: ExecutorOptions = {
    limits: agents.findLimits,
    rules: builtInRules(permissions),
    mode,
    grants: store.grants,
    approvals: store.approvals,
    ledger: store.ledger,
    artifacts: store.artifacts,
    untrustedFiles: () => store.untrustedFiles(),
    redact,
    secrets,
    hooks: () => agents.withHooks(sources.hooks()),
    ready: () => whenBoth(secrets.learn(), sources.ready()),
    onError,
    onSuccess: selection.onSuccess,
    howToAllow: withWatchingHint(howToAllow(folder)),
    ...(options.approver !== undefined && { approver: options.approver }),
    ...gateSettings(loaded.config),
  };
  const executor = new ToolExecutor(registry, gate);
  gates.push(executor);
  const executors = new Map([[profile, Promise.resolve(executor)]]);
  const findExecutor = (other: Profile): Promise<ToolExecutor> => {
    const found = executors.get(other) ?? openExecutor(other);
    executors.set(other, found);
    return found;
  };
  const openExecutor = async (other: Profile): Promise<ToolExecutor> => {
    const tools = new ToolRegistry({ compile: compileJsonSchema, format: toTargetTool });
    tools.registerMany(await listOwnTools(other, ports));
    const opened = new ToolExecutor(tools, gate);
    gates.push(opened);
    return opened;
  };
  const context: CallContext = {
    scope: "local",
    project: folder,
    ...(options.agent !== undefined && { agentId: options.agent }),
    allowedPaths: (tools.allowedPaths ?? ["."]).map((path) => resolve(folder, fromHome(path))),
    allowedHosts: tools.allowedHosts ?? [],
  };
  const viewParts = { config: loaded.config, profile, registry, executor, context };
  const packsFor: App["packsFor"] = async (goal, caller = context, before) => {
    await sources.listed();
    const toolset = executor.toolset(caller);
    const search = await selection.search();
    return packsForGoal(goal, {
      registry,
      search,
      toolset,
      budget: tools.budget,
      ...(before !== undefined && { before }),
    });
  };
  const close = async () => {
    await sources.close();
    await selection.close();
    memory.stop();
    await background.close();
    await Promise.all([hands.processes.close(), hands.connector.close()]);
    abandoned.close();
    await records.close();
    await store.close();
    await memory.close();
    seen.close();
  };
  const records = new LazyRecords(store, ground.knownSecrets);
  const app: App = {
    folder,
    home,
    loaded,
    profile,
    mode,
    rules: rulesInForce(loaded, mode),
    sandbox: hands.sandbox,
    registry,
    executor,
    findExecutor,
    packs: selection.packs,
    search: () => selection.search(),
    viewFor: (client) => openClientView(viewParts, client),
    viewForGoal: async (given, client = {}) => {
      const goal = given ?? writtenGoal(loaded.config, client.name);
      const view = openClientView(viewParts, client);
      if (goal === undefined) return view;
      const packs = await packsFor(goal, { ...view.bounds, origin: { channel: "mcp" } });
      return openClientView(viewParts, { ...client, selected: { goal, ...packs } });
    },
    packsFor,
    agents,
    memory,
    models,
    agent: lazy(async () => new (await import("./agent/agent-host.ts")).AgentHost(app)),
    background,
    context,
    secrets,
    logins,
    redact,
    sources,
    store: () => store.open(),
    previewChange: async (asked, signal) => {
      if (!ownTools.some(({ name }) => name === asked.toolName)) return undefined;
      const { previewChange } = await import("./preview/preview-change.ts");
      return previewChange({ workspace: hands.workspace, redact }, asked, signal);
    },
    records: () => records.open(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return app;
}

const noAgents: readonly AgentFile[] = [];

/** Undefined where there is nothing to wait for. */
function whenBoth(
  first: Promise<void> | undefined,
  second: Promise<void> | undefined,
): Promise<void> | undefined {
  return first === undefined || second === undefined ? (first ?? second) : first.then(() => second);
}

/** Loaded when it is first needed. */
function laterLogins({ secrets, mayHold, redact, hands, onError }: Ground): () => Promise<ServerLogins> {
  const { connector } = hands;
  return lazy(async () => {
    const { createMcpAuth } = await import("./servers/mcp-auth.ts");
    return createMcpAuth({ secrets, mayHold, learnSecret: redact.learn, connector, onError });
  });
}

/** What the configuration says of the gate; the gate knows what holds otherwise. */
function gateSettings({
  tools = {},
  approvals = {},
  ledger,
  shadowPermissions,
}: HaftConfig): Partial<ExecutorOptions> {
  return {
    ...(shadowPermissions !== undefined && { shadowRules: builtInRules(shadowPermissions) }),
    ...(ledger !== undefined && { ledgerPolicy: ledger }),
    ...(approvals.wait !== undefined && { approvalTimeoutMs: approvals.wait }),
    ...(approvals.life !== undefined && { approvalLifeMs: approvals.life }),
    ...(tools.timeout !== undefined && { timeoutMs: tools.timeout }),
    ...(tools.maxConcurrent !== undefined && { maxConcurrent: tools.maxConcurrent }),
    ...(tools.maxOutputChars !== undefined && { maxOutputChars: tools.maxOutputChars }),
  };
}
