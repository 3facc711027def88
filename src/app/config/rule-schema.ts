import { decisions, effectKinds, type JsonSchema, modes, remembrances, trusts } from "../../kernel/index.ts";

const glob = (what: string): JsonSchema => ({ type: "string", description: `Glob over ${what}.` });

/** One sentence of policy, as a configuration file has it. */
export const ruleSchema: JsonSchema = {
  type: "object",
  description:
    "One sentence of policy: it holds for a call where every field it has holds. deny beats ask beats allow.",
  required: ["decision"],
  additionalProperties: false,
  properties: {
    decision: { enum: decisions, description: "What happens to the call." },
    tool: glob("the tool's name"),
    pack: glob("the group the tool came in: files, shell, network, data, system, secrets, …"),
    category: glob("the tool's category"),
    origin: glob("where the tool comes from: haft, mcp:github, …"),
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
    agent: glob('the id of the agent that calls; "" is a call of no agent'),
    channel: glob('the channel the call came by: cli, mcp, …; "" is an unknown one'),
    trust: {
      enum: trusts,
      description: "untrusted: the arguments hold data from outside, such as a web page's.",
    },
    discloses: {
      type: "boolean",
      description:
        "Whether the arguments name a host from outside and hold beside it what was read here: a connection would tell it to that host.",
    },
    effect: {
      enum: [...effectKinds, "none"],
      description: "The kind of effect; none: the call declares no effect.",
    },
    target: glob("what the effect touches: a path, a part of a command line, an origin"),
    within: {
      type: "boolean",
      description:
        "Whether the target lies within allowedPaths or allowedHosts; of a command: it is known to only read.",
    },
    confined: { type: "boolean", description: "Of a command: whether it runs in the sandbox." },
    routine: {
      type: "boolean",
      description:
        "Of a command: whether nothing is known against it: it can be read, has no known risk, starts no code of the workspace and names no existing file.",
    },
    risky: {
      type: "boolean",
      description:
        "Of a command: whether a risk of it is known. What is not known may be risky all the same.",
    },
    opaque: {
      type: "boolean",
      description: "Of a command: whether it can't be known before it runs what it does.",
    },
    undoable: {
      type: "boolean",
      description:
        "Of a command: whether a snapshot taken before it runs can bring back what it changes, as far as its line tells.",
    },
    arguments: {
      type: "object",
      description: "Globs over arguments, by dotted path.",
      additionalProperties: { type: "string" },
    },
    reason: { type: "string", description: "Shown to whoever is asked or refused." },
    remember: {
      enum: remembrances,
      description: "Of a rule that asks: for how long an answer may be remembered at most (default always).",
    },
    exact: {
      type: "boolean",
      description:
        "Of a rule that asks: an answer is remembered for exactly this call or not at all, and no wider grant covers it (default false).",
    },
  },
};

/** One call, and what is to be decided of it. */
export const policyTestSchema: JsonSchema = {
  type: "object",
  required: ["tool", "expect"],
  additionalProperties: false,
  properties: {
    name: { type: "string", description: "Shown if it fails (default: the call)." },
    tool: { type: "string", description: "The tool's name." },
    arguments: { type: "object", description: "Of the call (default: none)." },
    mode: { enum: modes, description: "Default: the mode in force." },
    agent: { type: "string", description: "The id of the agent that calls (default: none)." },
    channel: { type: "string", description: "The channel the call comes by (default test)." },
    trust: { enum: trusts, description: "Where the data in the arguments comes from (default trusted)." },
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
