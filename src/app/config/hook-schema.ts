import type { JsonSchema } from "../../kernel/index.ts";

/** One of `hooks`. */
export const hookSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "type", "command"],
  properties: {
    id: {
      type: "string",
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
      description: "Unique among the hooks.",
    },
    name: { type: "string", minLength: 1, maxLength: 200, description: "The name shown to people." },
    description: { type: "string", maxLength: 2000 },
    type: {
      enum: ["pre_tool", "post_tool"],
      description: "When the hook runs: before a call is decided, or after it has come out.",
    },
    tools: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 200 },
      description: "Names of tools, with * for any part; none or an empty list: all tools.",
    },
    command: {
      type: "string",
      minLength: 1,
      maxLength: 100_000,
      description: "The command line, as bash reads it. It gets the call as JSON on its input.",
    },
    blocking: {
      type: "boolean",
      description: "false: its no and its failures are noted, and the call goes on (default true).",
    },
    timeout: {
      type: "integer",
      minimum: 1,
      maximum: 600_000,
      description: "Milliseconds it may take (default 10000).",
    },
    priority: { type: "integer", description: "Lower ones are asked first (default 0)." },
    hosts: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 300 },
      description: "Hosts it may reach; there is no network otherwise.",
    },
    enabled: { type: "boolean", description: "false: not asked (default true)." },
  },
};
