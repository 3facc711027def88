import type { JsonSchema } from "../../kernel/index.ts";

const texts = (description: string): JsonSchema => ({
  type: "array",
  items: { type: "string" },
  description,
});
const textMap = (description: string): JsonSchema => ({
  type: "object",
  additionalProperties: { type: "string" },
  description,
});
const milliseconds = (description: string): JsonSchema => ({
  type: "integer",
  minimum: 1,
  maximum: 600_000,
  description,
});

const properties: Readonly<Record<string, JsonSchema>> = {
  command: { type: "string", minLength: 1, description: "The program of a server that haft starts." },
  args: texts("Its arguments."),
  env: textMap(
    "Its environment, beside the few variables that every process gets. A value may hold ${secret:NAME}.",
  ),
  cwd: { type: "string", description: "The folder it starts in (default: the project's)." },
  url: { type: "string", description: "The address of a server over HTTP." },
  headers: textMap("Sent with every request. A value may hold ${secret:NAME}."),
  auth: {
    type: "object",
    additionalProperties: false,
    description: "How haft logs in at its url (default: a person does, with `haft mcp login`).",
    properties: {
      type: {
        enum: ["authorization_code", "device_code", "client_credentials"],
        description:
          "A person with a browser; one with a code for any device; haft as itself (default: the first).",
      },
      clientId: {
        type: "string",
        minLength: 1,
        description: "The id that the authorization server knows haft by (default: haft registers itself).",
      },
      clientSecret: { type: "string", minLength: 1, description: "secret:NAME of a stored secret." },
      privateKey: {
        type: "string",
        minLength: 1,
        description: "A key in PKCS #8, as secret:NAME, in place of clientSecret.",
      },
      algorithm: { type: "string", minLength: 1, description: "Algorithm of that key (default ES256)." },
      scope: {
        type: "string",
        minLength: 1,
        description: "What to ask for, parted by spaces (default: what the server says).",
      },
      issuer: {
        type: "string",
        minLength: 1,
        description: "The only authorization server that may be used.",
      },
      hosts: texts("Further hosts of the authorization server, and those of it that are not public."),
      redirectUri: {
        type: "string",
        pattern: "^http://(127\\.0\\.0\\.1|localhost):\\d+(/|$)",
        description:
          "The port that a browser comes back to, if the client was registered with one (default: any free port).",
      },
    },
  },
  type: {
    enum: ["stdio", "http", "streamable-http", "sse"],
    description: "http and sse try Streamable HTTP first, then SSE (default: by command or url).",
  },
  transport: { enum: ["stdio", "http", "streamable-http", "sse"], description: "Another name for type." },
  enabled: { type: "boolean", description: "false: not connected to (default true)." },
  disabled: { type: "boolean", description: "true: as enabled: false." },
  allow: texts(
    "The only tools that are offered, with * for any part, by the server's own names (default: all).",
  ),
  deny: texts("Tools that are not offered, whatever allow says."),
  rename: textMap("Other names for tools, by the server's own."),
  timeout: milliseconds("Milliseconds that one request may take (default 60000)."),
  connectTimeout: milliseconds("Milliseconds to connect in (default 30000)."),
  concurrency: {
    type: "integer",
    minimum: 1,
    maximum: 256,
    description: "Calls that the server has at once (default 16).",
  },
  hosts: texts("Hosts that its process may reach (default: none, and no network)."),
  reads: texts("Folders and files that its process may read beside the project's (default: none)."),
  paths: texts("Folders and files that its process may change (default: none)."),
  unconfined: {
    type: "boolean",
    description: "Run its process outside the sandbox, with all your rights (default false).",
  },
  trust: {
    type: "object",
    additionalProperties: false,
    properties: {
      annotations: {
        type: "boolean",
        description:
          "Believe all that it says of its tools: which only read, delete, may be repeated, reach the world (default false).",
      },
      readOnly: {
        anyOf: [{ type: "boolean" }, { type: "object", additionalProperties: { type: "string" } }],
        description:
          "Tools that it calls read-only may run unasked (default false): true, or by name with the fingerprint of the definition, as `haft mcp add --trust-read-only` writes it.",
      },
    },
  },
  pin: {
    type: "boolean",
    description:
      "false: take its definitions as they come, without anybody looking at a change (default true).",
  },
  repeat: texts("Tools whose calls may be repeated when the connection breaks (default: none)."),
  roots: {
    type: "boolean",
    description: "Tell it the folders of a call when it asks for roots (default false).",
  },
};

/** The servers of `mcpServers`: by name as other clients write them, or as a list with names. */
export const serversSchema: JsonSchema = {
  description:
    "MCP servers whose tools are offered, each call behind the same gate. `haft mcp add` writes them.",
  anyOf: [
    {
      type: "object",
      additionalProperties: { type: "object", additionalProperties: false, properties },
    },
    {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name"],
        properties: { ...properties, name: { type: "string", minLength: 1 } },
      },
    },
  ],
};
