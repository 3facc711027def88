import { isRecord } from "../../base/index.ts";
import type { SandboxLevel } from "../../host/index.ts";
import {
  appendIssues,
  type Decision,
  type JsonSchema,
  type LedgerPolicy,
  type Mode,
  type Rule,
  type Trust,
} from "../../kernel/index.ts";
import type { SearchProviderName, WebReadOptions, WebSearchOptions } from "../../modules/web/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import type { ToolBudget } from "../../search/index.ts";
import type { HookEntry } from "../../sources/index.ts";
import { ConfigError } from "../errors.ts";
import type { memoryVocabularies } from "../memory/memory-schema.ts";
import { configSchema } from "./config-schema.ts";

/** A vocabulary of tools: one name for each ability. */
export type Profile = "coding" | "task" | "full" | "queue";

/** What a configuration file says; every part may be left out. `config-schema.ts` has bounds and defaults. */
export interface HaftConfig {
  readonly tools?: {
    readonly profile?: Profile;
    readonly timeout?: number;
    readonly maxConcurrent?: number;
    readonly maxOutputChars?: number;
    readonly allowedPaths?: readonly string[];
    readonly allowedHosts?: readonly string[];
    readonly readableEnv?: readonly string[];
    /** Names and globs of tools that every list has. */
    readonly pinned?: readonly string[];
    /** Tokens that the definitions in a list may cost before it is lean. */
    readonly budget?: ToolBudget;
    readonly webSearch?: WebSearchConfig;
    readonly webRead?: WebReadConfig;
    readonly search?: SearchConfig;
    /** The same as `mcpServers` beside `tools`. */
    readonly mcpServers?: ServersConfig;
  };
  readonly mcpServers?: ServersConfig;
  readonly hooks?: readonly HookEntry[];
  /** The lists of each agent, by its id. Those of all files bind. */
  readonly agents?: Readonly<Record<string, AgentLists>>;
  readonly mode?: Mode;
  readonly ledger?: LedgerPolicy;
  readonly permissions?: readonly Rule[];
  /** Rules to come, in place of `permissions` of the same file: the ledger notes what they would change. */
  readonly shadowPermissions?: readonly Rule[];
  readonly policyTests?: readonly PolicyTest[];
  /** Milliseconds that a call waits for the answer to its question, and that the question can be answered. */
  readonly approvals?: { readonly wait?: number; readonly life?: number };
  readonly sandbox?: SandboxConfig;
  readonly snapshots?: SnapshotsConfig;
  readonly memory?: MemoryConfig;
  readonly serve?: ServeConfig;
  readonly store?: { readonly path?: string; readonly durability?: "normal" | "full" };
  /** Taken from the user's own file only. */
  readonly secrets?: { readonly key?: "file" | "passphrase" | "keyring" };
}

/** What clients of haft's MCP server are shown: every tool, a few that lead to the others, or what `tools.budget` says. */
export type Expose = "lean" | "all" | "auto";

/** How MCP clients are served. */
export interface ServeConfig {
  readonly port?: number;
  readonly expose?: Expose;
  /** The goal of every client that has none of its own: its list has the packs near that. */
  readonly goal?: string;
  /** Clients by their name: at `/mcp/NAME`, and with `haft mcp --client NAME`. */
  readonly clients?: Readonly<Record<string, ClientProfile>>;
}

/** What one client is shown. */
export interface ClientProfile {
  readonly expose?: Expose;
  /** That a lean list has whole. */
  readonly packs?: readonly string[];
  /** That a lean list has: names and globs. */
  readonly tools?: readonly string[];
  /** The agent that the client calls for. */
  readonly agent?: string;
  /** What the client is for: its list has the packs near that. */
  readonly goal?: string;
}

/** The servers by name, or a list of entries with `name`; `readServers` of haft/mcp reads both. */
export type ServersConfig = Readonly<Record<string, object>> | readonly object[];

/** Names and globs of tools. A block wins, and an empty list of allowed ones allows none. */
export interface AgentLists {
  readonly allowedTools?: readonly string[];
  readonly blockedTools?: readonly string[];
}

/** How commands are kept in. A project that is not trusted may only raise `atLeast`. */
export interface SandboxConfig {
  readonly atLeast?: SandboxLevel;
  /** MiB, of one call. */
  readonly memory?: number;
  /** The most processes of one call, threads among them. */
  readonly processes?: number;
  /** MiB, of one file. */
  readonly fileSize?: number;
  /** MiB, of each private temporary folder. */
  readonly temporary?: number;
}

/** Snapshots of the allowed folders, which let commands be undone. Ignored in the file of an untrusted project. */
export interface SnapshotsConfig {
  /** @default true */
  readonly enabled?: boolean;
  /** A folder with more files gets no snapshot. @default 50,000 */
  readonly maxFiles?: number;
  /** A folder with more MiB gets no snapshot. @default 1024 */
  readonly maxSize?: number;
  /** Names of further folders to leave out, in addition to `node_modules` and similar ones. */
  readonly exclude?: readonly string[];
}

/** One call, and what is to be decided of it. */
export interface PolicyTest {
  readonly name?: string;
  readonly tool: string;
  /** @default {} */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** @default the mode in force */
  readonly mode?: Mode;
  readonly agent?: string;
  /** @default "test" */
  readonly channel?: string;
  /** @default "trusted" */
  readonly trust?: Trust;
  readonly expect: Decision;
  /** What the reason or the target of the deciding rule contains. */
  readonly by?: string;
}

/** What agents remember, and by which tools. */
export interface MemoryConfig {
  /** @default `memories` in the profiles coding and full, `files` in task, `notes` in queue */
  readonly vocabularies?: readonly MemoryVocabulary[];
  /** Whose notes and profile are meant where no project is named. @default by the folder */
  readonly project?: string;
  /** The folder for Markdown files. @default `memory` in haft's own folder */
  readonly folder?: string;
  /** What sums up. @default nothing does */
  readonly model?: ApiModelConfig;
}

export type MemoryVocabulary = (typeof memoryVocabularies)[number];

/** An API that speaks as OpenAI's does. */
export interface ApiModelConfig {
  readonly provider: "openai-compatible";
  /** Up to what comes before `/chat/completions`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
}

/** How tools are found for a goal. */
export interface SearchConfig {
  /** @default "encoder" where the package `haft-encoder` is installed, else "offline" */
  readonly embedder?: EmbedderConfig;
  /** Remember which tool served which message. @default true */
  readonly usage?: boolean;
}

export type EmbedderConfig = "offline" | "encoder" | "none" | ApiEmbedderConfig | TransformersConfig;

/** An API that speaks as OpenAI's does. */
export interface ApiEmbedderConfig {
  readonly provider: "openai-compatible";
  /** Up to what comes before `/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly dimensions?: number;
}

/** A model of the optional package `@huggingface/transformers`. */
export type TransformersConfig = { readonly provider: "transformers" } & (
  | { readonly model: string }
  | { readonly folder: string }
);

export type WebSearchConfig = WebSearchOptions & { readonly provider: SearchProviderName };
export type WebReadConfig = WebReadOptions;

type Check = ReturnType<typeof compileJsonSchema>;

/** The checks, by the keys of the files that they check. */
const checks = new Map<string, Check>();

/** Compiling all of the schema takes a good part of a start, and most files have few of its keys. */
function checkOf(value: Readonly<Record<string, unknown>>): Check {
  const known = configSchema["properties"] as Readonly<Record<string, JsonSchema>>;
  const keys = Object.keys(value).toSorted();
  // Where one is not known, the fault names those that are.
  const names = keys.every((key) => Object.hasOwn(known, key)) ? keys : Object.keys(known);
  let check = checks.get(names.join());
  if (check === undefined) {
    const properties = Object.fromEntries(names.map((name) => [name, known[name]]));
    check = compileJsonSchema({ ...configSchema, properties });
    checks.set(names.join(), check);
  }
  return check;
}

/**
 * Reads the text of a configuration file. `${NAME}` and `${NAME:-default}` in its strings stand for environment
 * variables, and are filled in after the YAML is read: no value can change the file's form.
 *
 * @throws {ConfigError} CONFIG_SYNTAX with line and column, CONFIG_VARIABLE, CONFIG_INVALID.
 */
export async function parseConfig(
  text: string,
  file: string,
  variable: (name: string) => string | undefined,
): Promise<HaftConfig> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true });
  const fault = document.errors[0];
  if (fault !== undefined) {
    throw new ConfigError(
      "CONFIG_SYNTAX",
      `Cannot read "${file}": ${fault.message.trimEnd()}; correct the YAML there`,
      { cause: fault },
    );
  }
  const written: unknown = document.toJS() ?? {};
  const value = fillIn(written, (name) => {
    const found = variable(name);
    if (found !== undefined) return found;
    throw new ConfigError(
      "CONFIG_VARIABLE",
      `Cannot read "${file}": the environment variable ${name} is not set; set it, or write \${${name}:-default}`,
    );
  });
  if (!isRecord(value)) {
    throw new ConfigError(
      "CONFIG_INVALID",
      `Cannot use "${file}": it has to be an object with keys such as tools and permissions; \`haft init\` writes one in another folder to copy from`,
    );
  }
  const validation = await checkOf(value)(value);
  if (validation.valid) return validation.value as HaftConfig;
  throw new ConfigError(
    "CONFIG_INVALID",
    appendIssues(`Cannot use "${file}":`, validation.issues, value, configSchema),
    { details: { issues: validation.issues } },
  );
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function fillIn(value: unknown, variable: (name: string) => string): unknown {
  if (typeof value === "string") {
    return value.replace(reference, (_whole, name: string, fallback: string | undefined) => {
      if (fallback === undefined) return variable(name);
      try {
        return variable(name);
      } catch {
        return fallback;
      }
    });
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, variable));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, variable)]));
}
