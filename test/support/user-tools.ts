import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { Environment, Processes, type SandboxLevel, UndoFolder, Workspace } from "../../src/host/index.ts";
import { ToolRegistry } from "../../src/index.ts";
import {
  type CallContext,
  createRedactor,
  defaultRules,
  type ExecutorOptions,
  sourceRanks,
  ToolExecutor,
  type ToolResult,
} from "../../src/kernel/index.ts";
import { createCommands } from "../../src/modules/shell/index.ts";
import {
  createManifestSource,
  createMarkdownSource,
  type ManifestSource,
  type MarkdownServices,
  type MarkdownSource,
} from "../../src/sources/index.ts";
import { openSandbox } from "./sandbox-levels.ts";

export interface UserToolsOptions extends Omit<ExecutorOptions, "secrets"> {
  readonly variables?: Readonly<Record<string, string>>;
  readonly readable?: readonly string[];
  readonly secrets?: SecretValues;
  readonly level?: SandboxLevel;
  readonly services?: Partial<MarkdownServices>;
}

type SecretValues = Readonly<Record<string, string>>;

/** A project with tools of its user's, behind a gate; gone at the end of the test. */
export class UserTools {
  /** The project. */
  readonly folder: string;
  readonly registry: ToolRegistry = new ToolRegistry();
  readonly executor: ToolExecutor;
  readonly markdown: MarkdownSource;
  readonly manifest: ManifestSource;

  constructor(options: UserToolsOptions = {}) {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-user-tools-")));
    this.folder = join(base, "project");
    mkdirSync(this.folder);
    const { variables = {}, readable = [], secrets = {}, level, services, ...rest } = options;
    // Programs of the test itself come first.
    const path = `${join(this.folder, "bin")}:${process.env["PATH"]}`;
    const environment = new Environment({ variables: { PATH: path, ...variables }, readable });
    const processes = new Processes(level === undefined ? {} : { sandbox: openSandbox(level) });
    const workspace = new Workspace({ undo: new UndoFolder(join(base, "undo")) });
    this.executor = new ToolExecutor(this.registry, {
      rules: [{ decision: "allow" }],
      redact: createRedactor(environment.secretValues()),
      secrets: { get: async (_scope, name) => secrets[name] },
      ...rest,
    });
    const common = {
      accepts: () => true,
      watch: false,
      commands: createCommands({ processes, workspace, environment }),
      folder: this.folder,
      variable: (name: string) => environment.declared(name),
      ...services,
    };
    this.markdown = createMarkdownSource({
      toolSource: this.registry.source("markdown", sourceRanks.custom),
      folders: [join(this.folder, "agent/tools")],
      ...common,
    });
    this.manifest = createManifestSource({
      toolSource: this.registry.source("manifest", sourceRanks.manifest),
      ...common,
      folders: [this.folder],
    });
    onTestFinished(async () => {
      await this.markdown.close();
      await this.manifest.close();
      await processes.close();
      rmSync(base, { recursive: true, force: true, maxRetries: 20 });
    });
  }

  /** Writes a file below the project. */
  write(path: string, text: string): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Writes a tool by its fields, as YAML, and takes it in. */
  async add(id: string, fields: string, body = ""): Promise<void> {
    this.write(`agent/tools/${id}.md`, toolText(id, fields, body));
    await this.markdown.reload();
  }

  call(name: string, params: unknown = {}, context: CallContext = {}): Promise<ToolResult> {
    return this.executor.run(name, params, { allowedPaths: [this.folder], ...context });
  }
}

/** The text of a tool with what every tool has to have. */
export function toolText(id: string, fields: string, body = ""): string {
  return `---\nid: ${id}\nname: A tool\ndescription: Does it.\n${fields}\n---\n${body}`;
}

/** What is decided for a user without rules of their own. */
export const usualRules: typeof defaultRules = defaultRules;
