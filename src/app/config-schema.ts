import { decisions, effectKinds, type JsonSchema } from "../kernel/index.ts";

const ruleSchema: JsonSchema = {
  type: "object",
  description:
    "One sentence of policy: it holds for a call where every field it has holds. deny beats ask beats allow.",
  required: ["decision"],
  additionalProperties: false,
  properties: {
    decision: { enum: decisions, description: "What happens to the call." },
    tool: { type: "string", description: "Glob over the tool's name." },
    category: { type: "string", description: "Glob over the tool's category." },
    annotations: {
      type: "object",
      description: "What the tool says of itself.",
      additionalProperties: false,
      properties: {
        readOnly: { type: "boolean" },
        destructive: { type: "boolean" },
        idempotent: { type: "boolean" },
        openWorld: { type: "boolean" },
      },
    },
    effect: {
      enum: [...effectKinds, "none"],
      description: "The kind of effect; none: the call declares no effect.",
    },
    target: {
      type: "string",
      description: "Glob over what the effect touches: a path, a command line, an origin.",
    },
    within: { type: "boolean", description: "Whether the target lies within allowedPaths or allowedHosts." },
    arguments: {
      type: "object",
      description: "Globs over arguments, by dotted path.",
      additionalProperties: { type: "string" },
    },
    reason: { type: "string", description: "Shown to whoever is asked or refused." },
  },
};

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
          enum: ["coding", "task"],
          description:
            "The vocabulary of file tools: read, edit, … or read_file, edit_file, … (default coding).",
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
            "Folders whose files may be read and changed without asking (default: the working folder). An empty list allows nothing.",
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
        webSearch: {
          type: "object",
          additionalProperties: false,
          required: ["provider"],
          properties: {
            provider: { enum: ["tavily", "google", "bing", "duckduckgo"] },
            apiKey: {
              type: "string",
              description: "For example ${TAVILY_API_KEY}, or ${secret:NAME} for a stored secret.",
            },
            engineId: { type: "string", description: "Google's search engine id (cx)." },
            baseUrl: { type: "string" },
            maxResults: { type: "integer", minimum: 1, maximum: 20 },
          },
        },
        webRead: {
          type: "object",
          additionalProperties: false,
          properties: {
            provider: { enum: ["local", "jina"] },
            baseUrl: { type: "string" },
            apiKey: { type: "string", description: "As that of webSearch." },
          },
        },
      },
    },
    permissions: { type: "array", items: ruleSchema, description: "Rules, beside the default ones." },
    serve: {
      type: "object",
      additionalProperties: false,
      properties: {
        port: {
          type: "integer",
          minimum: 0,
          maximum: 65_535,
          description: "Of haft serve on 127.0.0.1 (default 4280; 0 picks a free one).",
        },
      },
    },
    secrets: {
      type: "object",
      description: "Of the user's own file only; a project's is passed over.",
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
        path: { type: "string", description: "Of the database (default haft.db in haft's home folder)." },
        durability: {
          enum: ["normal", "full"],
          description: "normal survives kill -9 (default); full survives power loss too.",
        },
      },
    },
  },
};
