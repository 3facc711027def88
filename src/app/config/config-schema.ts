import { sandboxLevels } from "../../host/index.ts";
import type { JsonSchema } from "../../kernel/index.ts";
import { profiles } from "../../modules/module.ts";
import { defaultToolBudget } from "../../search/index.ts";
import { modules } from "../modules.ts";
import { hookSchema } from "./hook-schema.ts";
import { agentSchema, modelsSchema } from "./models-schema.ts";
import { modeSchema, policyTestSchema, ruleSchema } from "./rule-schema.ts";
import { searchSchema } from "./search-schema.ts";
import { serveSchema } from "./serve-schema.ts";
import { serversSchema } from "./server-schema.ts";

const mebibytes = (what: string): JsonSchema => ({
  type: "integer",
  minimum: 1,
  description: `MiB of ${what}.`,
});

const tokens: JsonSchema = { type: "integer", minimum: 0 };

const toolNames = (what: string): JsonSchema => ({
  type: "array",
  maxItems: 1000,
  items: { type: "string", minLength: 1, maxLength: 200 },
  description: `${what}: names, with * for any part, or pack:NAME for all tools of a pack or a collection, such as pack:files.`,
});

/** The settings that modules bring. */
function collectSettings(kind: "settings" | "toolSettings"): Readonly<Record<string, JsonSchema>> {
  return Object.assign({}, ...modules.map((module) => module[kind]));
}

/** The form of `haft.config.yml`, as JSON Schema; `haft.config.schema.json` is this, for editors. */
export const configSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "haft.config.yml",
  type: "object",
  additionalProperties: false,
  properties: {
    tools: {
      type: "object",
      description: "Which tools there are, and their bounds.",
      additionalProperties: false,
      properties: {
        profile: {
          enum: profiles,
          description:
            "The names of the tools: coding (bash, read, edit, …), task (read_file, edit_file, …; no commands), full (bash with read_file, edit_file, …) or queue (full, where read_file counts lines from 1, and notes for memory) (default coding).",
        },
        timeout: {
          type: "integer",
          minimum: 1,
          maximum: 600_000,
          description: "Milliseconds a call may run (default 30000).",
        },
        maxConcurrent: {
          type: "integer",
          minimum: 1,
          maximum: 256,
          description: "Calls that run at once (default 3).",
        },
        maxOutputChars: {
          type: "integer",
          minimum: 500,
          description: "Characters of output that reach the model (default 25000).",
        },
        allowedPaths: {
          type: "array",
          items: { type: "string" },
          description:
            "Folders whose files may be read and changed without asking (default: the project folder). Relative paths and commands start in the project folder, whatever is listed. An empty list allows nothing.",
        },
        allowedHosts: {
          type: "array",
          items: { type: "string" },
          description:
            "Hosts that may be reached without asking: example.com, *.example.com, 127.0.0.1:8080. Private addresses can be reached only when listed here.",
        },
        readableEnv: {
          type: "array",
          items: { type: "string" },
          description: "Environment variables that get_env may read, beside the harmless ones.",
        },
        pinned: toolNames("Tools that every list has, however few it shows"),
        budget: {
          description: `Tokens that the definitions in a list may cost before it is lean, where serve.expose is auto (default ${defaultToolBudget}): one number, or one for each kind of model, such as mcp or anthropic, with * for any part.`,
          anyOf: [tokens, { type: "object", maxProperties: 100, additionalProperties: tokens }],
        },
        search: searchSchema,
        mcpServers: serversSchema,
        ...collectSettings("toolSettings"),
      },
    },
    mcpServers: serversSchema,
    hooks: {
      type: "array",
      items: hookSchema,
      description: "Commands that are asked before and after calls, beside those in agent/hooks.",
    },
    agents: {
      type: "object",
      description:
        "Which tools an agent has, by its id. Lists of several files all hold, also those of a project that is not trusted.",
      propertyNames: { pattern: "^[\\w.:@/-]{1,128}$" },
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: {
          allowedTools: toolNames("The only tools it may call; an empty list allows none (default: all)"),
          blockedTools: toolNames("Tools that it may not call, whatever else allows them"),
        },
      },
    },
    models: modelsSchema,
    agent: agentSchema,
    mode: modeSchema,
    ledger: {
      enum: ["required", "best-effort"],
      description:
        "What becomes of a call that the ledger cannot record: required refuses it, reads too (default); best-effort runs it, and its result says so.",
    },
    permissions: { type: "array", items: ruleSchema, description: "Rules, beside the default ones." },
    shadowPermissions: {
      type: "array",
      items: ruleSchema,
      description:
        "Rules to come, in place of permissions of this file: nothing changes but that the ledger notes what they would decide otherwise. `haft policy shadow` shows it.",
    },
    policyTests: {
      type: "array",
      items: policyTestSchema,
      description: "Calls, each with what has to be decided of it. `haft policy test` runs them.",
    },
    approvals: {
      type: "object",
      additionalProperties: false,
      properties: {
        wait: {
          type: "integer",
          minimum: 1000,
          maximum: 86_400_000,
          description: "Milliseconds that a call waits for the answer to its question (default 300000).",
        },
        life: {
          type: "integer",
          minimum: 1000,
          maximum: 2_592_000_000,
          description:
            "Milliseconds that a question can be answered, and a yes to it be used by the same call made again (default 3600000).",
        },
      },
    },
    sandbox: {
      type: "object",
      description:
        "How commands are kept in. Of a project that is not trusted only a stronger atLeast is taken.",
      additionalProperties: false,
      properties: {
        atLeast: {
          enum: sandboxLevels,
          description: "The weakest level at which commands may run, strongest first (default other-user).",
        },
        memory: mebibytes("memory that a call may use (default: half of the machine's, 1024 to 8192)"),
        processes: {
          type: "integer",
          minimum: 1,
          description: "Processes and threads of a call (default 1024).",
        },
        fileSize: mebibytes("one file (default 4096)"),
        temporary: mebibytes("each private temporary folder, which lies in memory (default 1024)"),
      },
    },
    snapshots: {
      type: "object",
      description:
        "Snapshots of the allowed folders, stored in haft's home, which let commands be undone. Ignored in the file of an untrusted project.",
      additionalProperties: false,
      properties: {
        enabled: {
          type: "boolean",
          description: "Whether snapshots are made; without them commands can't be undone (default true).",
        },
        maxFiles: {
          type: "integer",
          minimum: 1,
          description: "A folder with more files gets no snapshot (default 50000).",
        },
        maxSize: mebibytes("a folder that snapshots are taken of (default 1024)"),
        exclude: {
          type: "array",
          items: { type: "string", pattern: "^[^/]+$" },
          description:
            "Names of folders to leave out at any depth, in addition to .git, node_modules, target, .venv and similar ones.",
        },
      },
    },
    ...collectSettings("settings"),
    serve: serveSchema,
    secrets: {
      type: "object",
      description: "Counts in the user's own file only; a project's is passed over.",
      additionalProperties: false,
      properties: {
        key: {
          enum: ["file", "passphrase", "keyring"],
          description:
            "How the next key of the secrets is kept (default: passphrase where HAFT_PASSPHRASE is set, otherwise file). `haft secret rotate` makes one.",
        },
      },
    },
    store: {
      type: "object",
      additionalProperties: false,
      properties: {
        path: {
          type: "string",
          description: "Path of the database (default haft.db in haft's home folder).",
        },
        durability: {
          enum: ["normal", "full"],
          description: "normal survives kill -9 (default); full survives power loss too.",
        },
      },
    },
  },
};
