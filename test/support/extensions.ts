import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import {
  createConnector,
  keepsPromises,
  Processes,
  Sandbox,
  UndoFolder,
  Workspace,
} from "../../src/host/index.ts";
import { ToolRegistry } from "../../src/index.ts";
import {
  type CallContext,
  type ExecutorOptions,
  sourceRanks,
  ToolExecutor,
  type ToolResult,
} from "../../src/kernel/index.ts";
import {
  createExtensionSource,
  type ExtensionServices,
  type ExtensionSource,
} from "../../src/sources/extensions/index.ts";

export interface ExtensionBenchOptions
  extends Partial<Omit<ExtensionServices, "folder" | "secrets" | "variable">> {
  /** By their paths below `agent/extensions`. */
  readonly files: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly executor?: ExecutorOptions;
}

/** A project with an extension folder, a home that is hidden from every process, and the gate in front of both. */
export class ExtensionBench implements AsyncDisposable {
  readonly base: string;
  readonly project: string;
  readonly home: string;
  /** `agent/extensions` of the project. */
  readonly folder: string;
  readonly processes: Processes;
  readonly registry: ToolRegistry;
  readonly source: ExtensionSource;
  readonly executor: ToolExecutor;
  readonly logged: string[] = [];
  /** Paths that nobody has accepted. */
  readonly refused: Set<string> = new Set();

  private constructor({ files, secrets = {}, variables = {}, executor, ...services }: ExtensionBenchOptions) {
    this.base = realpathSync(mkdtempSync(join(tmpdir(), "haft-extensions-")));
    this.project = join(this.base, "project");
    this.home = join(this.base, "home");
    this.folder = join(this.project, "agent", "extensions");
    mkdirSync(this.folder, { recursive: true });
    mkdirSync(this.home);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    const proofFile = join(inject("runFolder"), "proof-strongest.json");
    const sandbox = new Sandbox({ hidden: [this.home], atLeast: "none", proofFile });
    this.processes = new Processes({ sandbox });
    this.registry = new ToolRegistry();
    const source = { get: (_scope: string, name: string) => Promise.resolve(secrets[name]) };
    this.source = createExtensionSource({
      toolSource: this.registry.source("extensions", sourceRanks.custom),
      accepts: ({ path }) => !this.refused.has(path),
      watch: false,
      folders: [this.folder],
      folder: this.project,
      processes: this.processes,
      workspace: new Workspace({ undo: new UndoFolder(join(this.base, "undo")) }),
      connector: createConnector(),
      secrets: source,
      variable: (name) => ({ PATH: process.env["PATH"] ?? "", ...variables })[name],
      log: ({ extension, tool, level, message }) =>
        this.logged.push(`${tool === undefined ? extension : `${extension}/${tool}`} ${level}: ${message}`),
      ...services,
    });
    this.executor = new ToolExecutor(this.registry, {
      rules: [{ decision: "allow" }],
      // What is ended is ended before the caller is answered, however busy the machine is.
      graceMs: 20_000,
      secrets: source,
      ...executor,
    });
  }

  static async open(options: ExtensionBenchOptions): Promise<ExtensionBench> {
    const bench = new ExtensionBench(options);
    await bench.source.start();
    return bench;
  }

  write(path: string, text: string): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  call(name: string, params: unknown = {}, context: CallContext = {}): Promise<ToolResult> {
    return this.executor.execute(name, params, { allowedPaths: [this.project], ...context });
  }

  async isConfined(): Promise<boolean> {
    return keepsPromises((await this.processes.isolation())?.level);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source.close();
    await this.processes.close();
    rmSync(this.base, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** A module whose tool has no parameters and this body; `context` is at hand. */
export function toolModule(
  name: string,
  body: string,
  { head = "", fields = "" }: { readonly head?: string; readonly fields?: string } = {},
): string {
  return `${head}
export default {
  name: ${JSON.stringify(name)},
  description: "A tool of a test.",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  ${fields}
  execute: async (params: { text?: string }, context: any): Promise<unknown> => { ${body} },
};
`;
}
