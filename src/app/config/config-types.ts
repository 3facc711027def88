// `npm run config-schema` writes this file from `configSchema` (config-schema.ts); change an option there.
import type { SandboxLevel } from "../../host/index.ts";
import type { Decision, LedgerPolicy, Mode, Rule, Trust } from "../../kernel/index.ts";
import type { SearchProviderName, WebReadOptions, WebSearchOptions } from "../../modules/web/index.ts";
import type { ToolBudget } from "../../search/index.ts";
import type { HookEntry } from "../../sources/index.ts";

/** What a configuration file says; every part may be left out. */
export interface HaftConfig {
  /** Which tools there are, and their bounds. */
  readonly tools?: {
    /**
     * The names of the tools: coding (bash, read, edit, …), task (read_file, edit_file, …; no commands),
     * full (bash with read_file, edit_file, …) or queue (full, where read_file counts lines from 1, and
     * notes for memory) (default coding).
     */
    readonly profile?: Profile;
    /** Milliseconds a call may run (default 30000). */
    readonly timeout?: number;
    /** Calls that run at once (default 3). */
    readonly maxConcurrent?: number;
    /** Characters of output that reach the model (default 25000). */
    readonly maxOutputChars?: number;
    /**
     * Folders whose files may be read and changed without asking (default: the project folder). Relative
     * paths and commands start in the project folder, whatever is listed. An empty list allows nothing.
     */
    readonly allowedPaths?: readonly string[];
    /**
     * Hosts that may be reached without asking: example.com, *.example.com, 127.0.0.1:8080. Private
     * addresses can be reached only when listed here.
     */
    readonly allowedHosts?: readonly string[];
    /** Environment variables that get_env may read, beside the harmless ones. */
    readonly readableEnv?: readonly string[];
    /**
     * Tools that every list has, however few it shows: names, with * for any part, or pack:NAME for all
     * tools of a pack or a collection, such as pack:files.
     */
    readonly pinned?: readonly string[];
    /**
     * Tokens that the definitions in a list may cost before it is lean, where serve.expose is auto
     * (default 10000): one number, or one for each kind of model, such as mcp or anthropic, with * for any
     * part.
     */
    readonly budget?: ToolBudget;
    /** How the right tools are found for a goal. */
    readonly search?: SearchConfig;
    /** MCP servers whose tools are offered, each call behind the same gate. `haft mcp add` writes them. */
    readonly mcpServers?: ServersConfig;
    readonly webSearch?: WebSearchConfig;
    readonly webRead?: WebReadConfig;
  };
  /** MCP servers whose tools are offered, each call behind the same gate. `haft mcp add` writes them. */
  readonly mcpServers?: ServersConfig;
  /** Commands that are asked before and after calls, beside those in agent/hooks. */
  readonly hooks?: readonly HookEntry[];
  /**
   * Which tools an agent has, by its id. Lists of several files all hold, also those of a project that
   * is not trusted.
   */
  readonly agents?: Readonly<Record<string, AgentLists>>;
  /**
   * The language models that haft may ask, by a name of your choice. `haft models` lists them, `haft
   * models test NAME` asks one. Ignored in the file of an untrusted project.
   */
  readonly models?: Readonly<Record<string, NamedModelConfig>>;
  /**
   * Which models are asked for what. Of the file of an untrusted project only `reflect: off` and `tasks`
   * are taken.
   */
  readonly agent?: AgentConfig;
  /**
   * plan: look and change nothing. ask: the rules as they are (default). auto: also whatever runs in the
   * sandbox, can be read before, has no known risk and can be undone. locked: only what rules allow;
   * nobody is asked.
   */
  readonly mode?: Mode;
  /**
   * What becomes of a call that the ledger cannot record: required refuses it, reads too (default);
   * best-effort runs it, and its result says so.
   */
  readonly ledger?: LedgerPolicy;
  /** Rules, beside the default ones. */
  readonly permissions?: readonly Rule[];
  /**
   * Rules to come, in place of permissions of this file: nothing changes but that the ledger notes what
   * they would decide otherwise. `haft policy shadow` shows it.
   */
  readonly shadowPermissions?: readonly Rule[];
  /** Calls, each with what has to be decided of it. `haft policy test` runs them. */
  readonly policyTests?: readonly PolicyTest[];
  readonly approvals?: {
    /** Milliseconds that a call waits for the answer to its question (default 300000). */
    readonly wait?: number;
    /**
     * Milliseconds that a question can be answered, and a yes to it be used by the same call made again
     * (default 3600000).
     */
    readonly life?: number;
  };
  /** How commands are kept in. Of a project that is not trusted only a stronger atLeast is taken. */
  readonly sandbox?: SandboxConfig;
  /**
   * Snapshots of the allowed folders, stored in haft's home, which let commands be undone. Ignored in
   * the file of an untrusted project.
   */
  readonly snapshots?: SnapshotsConfig;
  /** What agents remember, and by which tools. */
  readonly memory?: MemoryConfig;
  readonly serve?: ServeConfig;
  /** Counts in the user's own file only; a project's is passed over. */
  readonly secrets?: {
    /**
     * How the next key of the secrets is kept (default: passphrase where HAFT_PASSPHRASE is set, otherwise
     * file). `haft secret rotate` makes one.
     */
    readonly key?: "file" | "passphrase" | "keyring";
  };
  readonly store?: {
    /** Path of the database (default haft.db in haft's home folder). */
    readonly path?: string;
    /** normal survives kill -9 (default); full survives power loss too. */
    readonly durability?: "normal" | "full";
  };
}

/** A vocabulary of tools: one name for each ability. */
export type Profile = "coding" | "task" | "full" | "queue";

/** How the right tools are found for a goal. */
export interface SearchConfig {
  /**
   * What tells texts that mean alike: offline (word vectors that come with haft, for many languages),
   * encoder (the English sentence model of the package haft-encoder; the default where that is
   * installed, offline where not), none (words alone decide), or a model of your own.
   */
  readonly embedder?: EmbedderConfig;
  /**
   * Remember, on this machine alone, which tool served which message, and find it first for others like
   * it (default true).
   */
  readonly usage?: boolean;
}

/** What tells texts that mean alike. */
export type EmbedderConfig = "offline" | "encoder" | "none" | ApiEmbedderConfig | TransformersConfig;

/** An API that speaks as OpenAI's does at /embeddings. */
export interface ApiEmbedderConfig {
  readonly provider: "openai-compatible";
  /** Up to what comes before /embeddings: https://api.openai.com/v1, http://127.0.0.1:11434/v1. */
  readonly url: string;
  readonly model: string;
  /** The key, for example ${OPENAI_API_KEY}, or ${secret:NAME} for a stored secret. */
  readonly apiKey?: string;
  /** Numbers of a vector, where the model leaves a choice. */
  readonly dimensions?: number;
}

/** A model of the package @huggingface/transformers, which you install beside haft. */
export type TransformersConfig = {
  readonly provider: "transformers";
} & (
  | {
      /** Its name on the hub, from which the package gets its files at the first use. */
      readonly model: string;
    }
  | {
      /**
       * The folder of the model's files: config.json, tokenizer.json, onnx/model.onnx. Nothing is
       * downloaded.
       */
      readonly folder: string;
    }
);

/** The servers by name, or a list of entries with `name`; `readServers` of haft/mcp reads both. */
export type ServersConfig = Readonly<Record<string, object>> | readonly object[];

/** Which service searches the web, and how it is reached. */
export type WebSearchConfig = WebSearchOptions & { readonly provider: SearchProviderName };

/** How web pages are read. */
export type WebReadConfig = WebReadOptions;

/** Names and globs of tools. A block wins, and an empty list of allowed ones allows none. */
export interface AgentLists {
  /**
   * The only tools it may call; an empty list allows none (default: all): names, with * for any part, or
   * pack:NAME for all tools of a pack or a collection, such as pack:files.
   */
  readonly allowedTools?: readonly string[];
  /**
   * Tools that it may not call, whatever else allows them: names, with * for any part, or pack:NAME for
   * all tools of a pack or a collection, such as pack:files.
   */
  readonly blockedTools?: readonly string[];
}

/** One language model, and how it is reached. */
export interface NamedModelConfig {
  /**
   * openai-compatible (any API that speaks as OpenAI's does at /chat/completions, servers of your own
   * too), anthropic, or one whose package you install beside haft: openai (@ai-sdk/openai), google
   * (@ai-sdk/google), openrouter (@openrouter/ai-sdk-provider).
   */
  readonly provider: "openai-compatible" | "anthropic" | "openai" | "google" | "openrouter";
  /** The provider's name for the model. */
  readonly model: string;
  /**
   * The address of the API, up to what comes before its paths: http://127.0.0.1:11434/v1 (default: the
   * provider's own; openai-compatible has none).
   */
  readonly url?: string;
  /** The key: ${secret:NAME} for a stored secret, or ${NAME} for an environment variable. */
  readonly apiKey?: string;
  /** How much the model may think, unless a request says otherwise (default: its own). */
  readonly effort?: "off" | "low" | "medium" | "high";
  /** Models that are asked in its place where it can't answer, in order. */
  readonly fallback?: readonly string[];
  /** What to do if the provider withholds an answer: stop, or ask the fallback (default stop). */
  readonly onRefusal?: "stop" | "fallback";
  /** Tokens of a request and its answer together (default: what is known of the model, otherwise 32000). */
  readonly contextTokens?: number;
  /** The longest answer (default: what is known of the model). */
  readonly maxOutputTokens?: number;
  /** Whether the model takes images (default: what is known of it). */
  readonly images?: boolean;
  /** What it costs. Without prices only tokens are counted. */
  readonly prices?: ModelPricesConfig;
  /**
   * Models with the same quota share a rate limit, so none of them is a fallback for another that
   * reached it (default: one quota for each address and key).
   */
  readonly quota?: string;
  /**
   * `jsonBy` with openai-compatible: how JSON is asked for, beside in words: by its schema (default), as
   * JSON of any form, or in words alone.
   */
  readonly jsonBy?: "json_schema" | "json_object" | "words";
  /**
   * `maxTokensField` with openai-compatible: what the API calls the most tokens of an answer (default
   * max_tokens).
   */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * `template` with openai-compatible and openrouter: the family of models whose form of messages the
   * API takes (default: by the name of the model).
   */
  readonly template?: "mistral" | "kimi" | "any";
}

/** USD for a million tokens. */
export interface ModelPricesConfig {
  /** USD for a million tokens of the request. */
  readonly input: number;
  /** USD for a million tokens of the answer. */
  readonly output: number;
  /** USD for a million tokens read from its cache (default: that of input). */
  readonly cacheRead?: number;
  /** USD for a million tokens written to its cache (default: that of input). */
  readonly cacheWrite?: number;
}

/** Which models are asked for what. */
export interface AgentConfig {
  /** The model that agents use, by its name in models. */
  readonly model?: string;
  /**
   * The most steps of one run, unless the agent's own file says otherwise. Then the run pauses, and
   * `haft run --resume` continues it (default 100; 50 for runs in the background).
   */
  readonly maxSteps?: number;
  /**
   * How the agent speaks, unless its own file says otherwise: what the model writes is shown (text), or
   * only what it says with its tool reply (reply) (default text).
   */
  readonly speaks?: "text" | "reply";
  /**
   * When the agent reflects. after-task: once a task of the background has completed or failed, it
   * remembers what is worth it, with at most 20,000 tokens. on-failure: when three calls in a row have
   * failed, the model says whether to go on, plan anew or end. both: both. off: never (default
   * after-task).
   */
  readonly reflect?: "off" | "after-task" | "on-failure" | "both";
  /**
   * Limits for requests to models. A run that reaches a limit pauses before its next request; `haft run
   * --resume ID --budget USD` raises the run's own limit.
   */
  readonly budget?: {
    /** Limits of one run, with all runs that it begins. */
    readonly run?: {
      /** US dollars (default: no limit). */
      readonly usd?: number;
      /** Tokens of requests and answers together (default: no limit). */
      readonly tokens?: number;
      /** Answers of the model (default: no limit). */
      readonly steps?: number;
      /** Minutes of work (default: no limit). */
      readonly minutes?: number;
    };
    /** Limits of one agent since midnight. */
    readonly agentDay?: {
      /** US dollars (default: no limit). */
      readonly usd?: number;
      /** Tokens of requests and answers together (default: no limit). */
      readonly tokens?: number;
      /** Answers of the model (default: no limit). */
      readonly steps?: number;
      /** Minutes of work (default: no limit). */
      readonly minutes?: number;
    };
    /** Limits of the whole installation since midnight. */
    readonly day?: {
      /** US dollars (default: no limit). */
      readonly usd?: number;
      /** Tokens of requests and answers together (default: no limit). */
      readonly tokens?: number;
      /** Answers of the model (default: no limit). */
      readonly steps?: number;
      /** Minutes of work (default: no limit). */
      readonly minutes?: number;
    };
  };
  /**
   * Limits of the tasks that agents start with spawn_task. The file of a project that is not trusted can
   * only lower them.
   */
  readonly tasks?: {
    /** How deep tasks may start tasks; 0 starts none (default 2). */
    readonly maxDepth?: number;
    /** Tasks under way at once in one conversation (default 5). */
    readonly maxActive?: number;
    /** Tasks that one run may start in all (default 8). */
    readonly maxChildren?: number;
    /** Tasks that may be started or resumed in one conversation within an hour (default 60). */
    readonly perHour?: number;
    /** Minutes that a task may work; then it pauses (default 30). */
    readonly minutes?: number;
  };
  /**
   * The model that takes notes of conversations and sums up memory, by its name in models. It is sent
   * the contents of memory. memory.model takes precedence.
   */
  readonly memoryModel?: string;
}

/** One call, and what is to be decided of it. */
export interface PolicyTest {
  /** Shown if it fails (default: the call). */
  readonly name?: string;
  /** The tool's name. */
  readonly tool: string;
  /** Arguments of the call (default: none). */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Default: the mode in force. */
  readonly mode?: Mode;
  /** The id of the agent that calls (default: none). */
  readonly agent?: string;
  /** The channel the call comes by (default test). */
  readonly channel?: string;
  /** Trust in the data of the arguments (default trusted). */
  readonly trust?: Trust;
  /** What has to be decided. */
  readonly expect: Decision;
  /** What the reason or the target of the deciding rule has to contain (default: any rule). */
  readonly by?: string;
}

/** How commands are kept in. Of a project that is not trusted only a stronger atLeast is taken. */
export interface SandboxConfig {
  /** The weakest level at which commands may run, strongest first (default other-user). */
  readonly atLeast?: SandboxLevel;
  /** MiB of memory that a call may use (default: half of the machine's, 1024 to 8192). */
  readonly memory?: number;
  /** Processes and threads of a call (default 1024). */
  readonly processes?: number;
  /** MiB of one file (default 4096). */
  readonly fileSize?: number;
  /** MiB of each private temporary folder, which lies in memory (default 1024). */
  readonly temporary?: number;
}

/**
 * Snapshots of the allowed folders, stored in haft's home, which let commands be undone. Ignored in
 * the file of an untrusted project.
 */
export interface SnapshotsConfig {
  /** Whether snapshots are made; without them commands can't be undone (default true). */
  readonly enabled?: boolean;
  /** A folder with more files gets no snapshot (default 50000). */
  readonly maxFiles?: number;
  /** MiB of a folder that snapshots are taken of (default 1024). */
  readonly maxSize?: number;
  /**
   * Names of folders to leave out at any depth, in addition to .git, node_modules, target, .venv and
   * similar ones.
   */
  readonly exclude?: readonly string[];
}

/** What agents remember, and by which tools. */
export interface MemoryConfig {
  /**
   * The tools of memory: memories (memory_store, memory_recall, …), blocks (block, recall, search, …),
   * files (memory_write, memory_read, … on Markdown files), notes (write_note, view_profile, …). All of
   * them work on one memory. By default memories in the profiles coding and full, files in task, notes
   * in queue. An empty list turns memory off.
   */
  readonly vocabularies?: readonly MemoryVocabulary[];
  /**
   * The project whose notes and profile are meant where none is named (default: the name of the folder
   * and six characters that tell it from others of that name).
   */
  readonly project?: string;
  /** The folder of memory's Markdown files (default: memory, in haft's own folder). */
  readonly folder?: string;
  /**
   * The model that notes what conversations tell, and sums up. It is sent what is in memory. Without one
   * nothing is summed up by itself.
   */
  readonly model?: ApiModelConfig;
}

/** A set of tools that work on memory. */
export type MemoryVocabulary = "memories" | "blocks" | "files" | "notes";

/** A model behind an API that speaks as OpenAI's does. */
export interface ApiModelConfig {
  readonly provider: "openai-compatible" | "anthropic" | "openai" | "google" | "openrouter";
  /** Up to what comes before /chat/completions: https://api.openai.com/v1, http://127.0.0.1:11434/v1. */
  readonly url: string;
  readonly model: string;
  /** The key, for example ${OPENAI_API_KEY}, or ${secret:NAME} for a stored secret. */
  readonly apiKey?: string;
}

/** How MCP clients are served. */
export interface ServeConfig {
  /** The port of haft serve on 127.0.0.1 (default 4280; 0 picks a free one). */
  readonly port?: number;
  /**
   * What tools/list has. all: every tool. lean: the core tier, what is pinned, and search_tools,
   * browse_tools, load_tools, describe_tools and call_tool, which lead to the others. auto: lean once
   * all would cost more tokens than tools.budget (default auto).
   */
  readonly expose?: Expose;
  /**
   * What clients are for, in a sentence: where the budget decides, the list has the core tier and the
   * packs near this goal (default: none).
   */
  readonly goal?: string;
  /**
   * What single clients are shown, by a name of your choice: at /mcp/NAME over HTTP, with `haft mcp
   * --client NAME` over stdio.
   */
  readonly clients?: Readonly<Record<string, ClientProfile>>;
}

/**
 * What clients of haft's MCP server are shown: every tool, a few that lead to the others, or what
 * `tools.budget` says.
 */
export type Expose = "lean" | "all" | "auto";

/** What one client is shown. */
export interface ClientProfile {
  /** What serve.expose says, for this client in its place. */
  readonly expose?: Expose;
  /** What serve.goal says, for this client in its place. */
  readonly goal?: string;
  /** Packs that a lean list has whole: files, network, the name of an MCP server, … */
  readonly packs?: readonly string[];
  /** Tools that a lean list has, beside those of tools.pinned: names, with * for any part, or pack:NAME. */
  readonly tools?: readonly string[];
  /** The agent that the client calls for: its lists of tools bind. */
  readonly agent?: string;
}
