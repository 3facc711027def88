import { join } from "node:path";
import { getErrorMessage, systemClock } from "../../base/index.ts";
import { readVariable } from "../../host/index.ts";
import { type Hook, sourceRanks, type Tool, type ToolContext } from "../../kernel/index.ts";
import type {
  AgentSource,
  CheckedExtensions,
  ExtensionSource,
  HookSource,
  ManifestSource,
  MarkdownSource,
  SourceProblem,
} from "../../sources/index.ts";
import { configFileName } from "../config/load-config.ts";
import { acceptedBy } from "./accepted-files.ts";
import { HookCounts } from "./hook-counts.ts";
import { type FileSource, LateSource } from "./late-source.ts";
import type { SourceParts } from "./source-parts.ts";
import { localScope, sourcePlaces } from "./source-places.ts";

/** What the tools in files reach beside the machine. */
export interface FileSourcePorts {
  readonly mcpTool: (server: string, tool: string) => Promise<Tool | undefined>;
  readonly callBridge: (action: string, args: unknown, context: ToolContext) => Promise<unknown>;
}

/** All that is read from files, of the project and of haft's own folder. */
export class FileSources {
  readonly #parts: SourceParts;
  readonly #ports: FileSourcePorts;
  readonly #counts: HookCounts;
  readonly agents: LateSource<AgentSource>;
  readonly hooks: LateSource<HookSource>;
  readonly extensions: LateSource<ExtensionSource>;
  readonly #tools: readonly LateSource<FileSource>[];

  constructor(parts: SourceParts, ports: FileSourcePorts) {
    this.#parts = parts;
    this.#ports = ports;
    this.#counts = new HookCounts({
      open: async () => (await parts.store()).hookRuns,
      scope: localScope,
      onError: parts.onError,
    });
    this.agents = this.#late(sourcePlaces.agent, () => this.#openAgents());
    const isNeeded = [parts.loaded.own, parts.loaded.project].some(({ hooks = [] }) => hooks.length > 0);
    this.hooks = this.#late(sourcePlaces.hooks, () => this.#openHooks(), isNeeded);
    this.extensions = this.#late(sourcePlaces.extensions, () => this.#openExtensions());
    this.#tools = [
      this.#late(sourcePlaces.tools, () => this.#openMarkdown()),
      this.extensions,
      this.#late(sourcePlaces.manifest, () => this.#openManifest()),
    ];
  }

  async start(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.start()));
  }

  /**
   * The hooks in the order in which they are asked. What restricts calls and can't be read restricts all of
   * them.
   */
  activeHooks(): readonly Hook[] {
    const fault = this.agents.fault ?? this.hooks.fault;
    return fault === undefined ? (this.hooks.source?.hooks() ?? []) : [brokenHook(fault)];
  }

  problems(): readonly SourceProblem[] {
    return this.#all().flatMap((one) => one.problems());
  }

  /** Loads extensions in the sandbox, without what they ask for: those that files are named of, or all. */
  async checkExtensions(named?: readonly string[]): Promise<CheckedExtensions> {
    const { checkExtensions } = await import("../../sources/index.ts");
    const { processes, workspace, allowedHosts } = this.#parts;
    const inFolder = (path: string) => /^(.*)[/\\](?:tools|lib)[/\\]/.exec(path)?.[1] ?? [];
    return checkExtensions({
      ...this.#common,
      ...(named !== undefined && { named }),
      folders:
        named === undefined ? this.#at(sourcePlaces.extensions) : [...new Set(named.flatMap(inFolder))],
      processes,
      workspace,
      allowedHosts,
      variable: readVariable,
    });
  }

  async reload(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.reload()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.close()));
    await this.#counts.flush();
  }

  #all(): readonly LateSource<FileSource>[] {
    return [this.agents, this.hooks, ...this.#tools];
  }

  #late<Kind extends FileSource>(
    place: string,
    open: () => Promise<Kind>,
    isNeeded = false,
  ): LateSource<Kind> {
    const { use, onError } = this.#parts;
    return new LateSource({ paths: this.#at(place), follow: use === "follow", isNeeded, open, onError });
  }

  /** The owner's own comes first: a project takes no name from it. */
  #at(place: string): string[] {
    const { home, folder } = this.#parts;
    return [join(home.folder, place), join(folder, place)];
  }

  get #common() {
    const { home, folder, use } = this.#parts;
    return { accepts: acceptedBy(home), watch: use === "follow", folder };
  }

  async #openAgents(): Promise<AgentSource> {
    const { createAgentSource } = await import("../../sources/index.ts");
    const { findPackFault } = await import("../packs/tool-packs.ts");
    return createAgentSource({ ...this.#common, files: this.#at(sourcePlaces.agent), findPackFault });
  }

  async #openHooks(): Promise<HookSource> {
    const { createHookSource } = await import("../../sources/index.ts");
    const { loaded, home, folder, processes, environment, redact } = this.#parts;
    const configured = [
      { hooks: loaded.own.hooks, file: home.config },
      { hooks: loaded.project.hooks, file: join(folder, configFileName) },
    ].flatMap(({ hooks = [], file }) => hooks.map((entry) => ({ entry, file })));
    return createHookSource({
      ...this.#common,
      folders: this.#at(sourcePlaces.hooks),
      wasAccepted: (path) => home.hasTrusted(path),
      configured,
      runShell: (line, options) => processes.runShell(line, options),
      environment: ({ context }) =>
        environment.childEnvironment({ scope: context.scope ?? localScope, agentId: context.agentId }),
      statistics: this.#counts,
      clock: systemClock,
      redact,
    });
  }

  async #openMarkdown(): Promise<MarkdownSource> {
    const { createMarkdownSource } = await import("../../sources/index.ts");
    return createMarkdownSource({
      ...(await this.#userToolServices()),
      toolSource: this.#parts.registry.source("the tools in Markdown", sourceRanks.custom),
      folders: this.#at(sourcePlaces.tools),
    });
  }

  async #openManifest(): Promise<ManifestSource> {
    const { createManifestSource } = await import("../../sources/index.ts");
    const { home, folder, registry } = this.#parts;
    return createManifestSource({
      ...(await this.#userToolServices()),
      toolSource: registry.source("the space manifest", sourceRanks.manifest),
      folders: [home.folder, folder],
    });
  }

  async #userToolServices() {
    const { commandUndo } = await import("../../modules/files/index.ts");
    const { createCommands } = await import("../../modules/shell/index.ts");
    const { processes, workspace, environment, connector, snapshots, journal } = this.#parts;
    const undo = commandUndo({ workspace, ...journal, ...(snapshots && { snapshots }) });
    return {
      ...this.#common,
      ...this.#ports,
      commands: createCommands({ processes, workspace, environment, connector, ...(undo && { undo }) }),
      variable: (name: string) => environment.declared(name),
    };
  }

  async #openExtensions(): Promise<ExtensionSource> {
    const { createExtensionSource } = await import("../../sources/index.ts");
    const { registry, processes, workspace, connector, secrets, allowedHosts, redact, onLog } = this.#parts;
    return createExtensionSource({
      ...this.#common,
      toolSource: registry.source("the extensions", sourceRanks.custom),
      folders: this.#at(sourcePlaces.extensions),
      processes,
      workspace,
      connector,
      variable: readVariable,
      secrets,
      allowedHosts,
      ...(onLog && { log: (entry) => onLog({ ...entry, message: redact(entry.message) }) }),
    });
  }
}

function brokenHook(fault: unknown): Hook {
  const message = `Cannot read the hooks and the agents: ${getErrorMessage(fault)}; see \`haft doctor\``;
  return { name: "haft", before: () => ({ block: message }) };
}
