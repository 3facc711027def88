import type { JsonSchema } from "../../kernel/index.ts";

const expose: JsonSchema = {
  enum: ["lean", "all", "auto"],
  description:
    "What tools/list has. all: every tool. lean: the core tier, what is pinned, and search_tools, browse_tools, load_tools, describe_tools and call_tool, which lead to the others. auto: lean once all would cost more tokens than tools.budget (default auto).",
};

const goal: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 500,
  description:
    "What clients are for, in a sentence: where the budget decides, the list has the core tier and the packs near this goal (default: none).",
};

/** How MCP clients are served. */
export const serveSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    port: {
      type: "integer",
      minimum: 0,
      maximum: 65_535,
      description: "The port of haft serve on 127.0.0.1 (default 4280; 0 picks a free one).",
    },
    expose,
    goal,
    clients: {
      type: "object",
      description:
        "What single clients are shown, by a name of your choice: at /mcp/NAME over HTTP, with `haft mcp --client NAME` over stdio.",
      propertyNames: { pattern: "^[A-Za-z0-9][\\w.-]{0,63}$" },
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: {
          expose: { ...expose, description: "What serve.expose says, for this client in its place." },
          goal: { ...goal, description: "What serve.goal says, for this client in its place." },
          packs: {
            type: "array",
            maxItems: 100,
            items: { type: "string", minLength: 1, maxLength: 128 },
            description: "Packs that a lean list has whole: files, network, the name of an MCP server, …",
          },
          tools: {
            type: "array",
            maxItems: 1000,
            items: { type: "string", minLength: 1, maxLength: 200 },
            description:
              "Tools that a lean list has, beside those of tools.pinned: names, with * for any part, or pack:NAME.",
          },
          agent: {
            type: "string",
            pattern: "^[\\w.:@/-]{1,128}$",
            description: "The agent that the client calls for: its lists of tools bind.",
          },
        },
      },
    },
  },
};
