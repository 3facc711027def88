import { decisions, type JsonSchema, modes, type RuleField, ruleFields, trusts } from "../../kernel/index.ts";

/** The form of the values that are objects. */
const insides: Readonly<Record<string, JsonSchema>> = {
  annotations: {
    additionalProperties: false,
    properties: {
      readOnly: { type: "boolean" },
      destructive: { type: "boolean" },
      idempotent: { type: "boolean" },
      openWorld: { type: "boolean" },
    },
  },
  arguments: { additionalProperties: { type: "string" } },
};

function toSchema(name: string, { form, description }: RuleField): JsonSchema {
  if (typeof form !== "string") return { enum: form, description };
  return { type: form === "text" ? "string" : form, description, ...insides[name] };
}

/** One sentence of policy, as a configuration file has it. */
export const ruleSchema: JsonSchema = {
  type: "object",
  description:
    "One sentence of policy: it holds for a call where every field it has holds. deny beats ask beats allow.",
  required: ["decision"],
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(ruleFields).map(([name, field]) => [name, toSchema(name, field)]),
  ),
};

/** One call, and what is to be decided of it. */
export const policyTestSchema: JsonSchema = {
  type: "object",
  required: ["tool", "expect"],
  additionalProperties: false,
  properties: {
    name: { type: "string", description: "Shown if it fails (default: the call)." },
    tool: { type: "string", description: "The tool's name." },
    arguments: { type: "object", description: "Arguments of the call (default: none)." },
    mode: { enum: modes, description: "Default: the mode in force." },
    agent: { type: "string", description: "The id of the agent that calls (default: none)." },
    channel: { type: "string", description: "The channel the call comes by (default test)." },
    trust: { enum: trusts, description: "Trust in the data of the arguments (default trusted)." },
    expect: { enum: decisions, description: "What has to be decided." },
    by: {
      type: "string",
      description: "What the reason or the target of the deciding rule has to contain (default: any rule).",
    },
  },
};

export const modeSchema: JsonSchema = {
  enum: modes,
  description:
    "plan: look and change nothing. ask: the rules as they are (default). auto: also whatever runs in the sandbox, can be read before, has no known risk and can be undone. locked: only what rules allow; nobody is asked.",
};
