import type { CallContext } from "../call/context.ts";
import { type Effect, effectKinds } from "../tool/effect.ts";
import type { Tool } from "../tool/tool.ts";
import { decisions, type Rule, remembrances } from "./rules.ts";
import { trusts } from "./trust.ts";

/** The caller of a judged call. */
export type Caller = Pick<CallContext, "agentId" | "origin">;

/** One field of a rule. At most one of the functions reads what it is compared with; other fields are compared by themselves. */
export interface RuleField {
  /** The words it has to be one of, or the kind of its value. */
  readonly form: readonly string[] | "text" | "boolean" | "object";
  /** The text for the schema of a configuration. */
  readonly description: string;
  /** Reads the text of a tool that the glob is matched with. */
  readonly readTool?: (tool: Tool) => string;
  /** Reads the text of a caller that the glob is matched with. */
  readonly readCaller?: (caller: Caller) => string;
  /** Reads a mark of a command. A rule with this field holds for no other effect. */
  readonly readCommand?: (command: Effect) => boolean;
  /** Whether it depends on the arguments of a call, or on what they would do. @default for a mark of a command */
  readonly isByCall?: true;
}

/** The fields of a rule. The check of rules, the schema of a configuration and the policy read them here. */
export const ruleFields: Readonly<Record<keyof Rule, RuleField>> = {
  decision: { form: decisions, description: "What happens to the call." },
  tool: { form: "text", description: "Glob over the tool's name.", readTool: ({ name }) => name },
  pack: {
    form: "text",
    description: "Glob over the group the tool came in: files, shell, network, data, system, secrets, ….",
    // Not `getPackName`: rules name an MCP server by its origin, and all of them by their category.
    readTool: ({ pack, category }) => pack ?? category,
  },
  category: {
    form: "text",
    description: "Glob over the tool's category.",
    readTool: ({ category }) => category,
  },
  origin: {
    form: "text",
    description: "Glob over where the tool comes from: haft, mcp:github, ….",
    readTool: ({ origin = "" }) => origin,
  },
  annotations: { form: "object", description: "What the tool says of itself." },
  agent: {
    form: "text",
    description: 'Glob over the id of the agent that calls; "" is a call of no agent.',
    readCaller: ({ agentId = "" }) => agentId,
  },
  channel: {
    form: "text",
    description: 'Glob over the channel the call came by: cli, mcp, …; "" is an unknown one.',
    readCaller: ({ origin }) => origin?.channel ?? "",
  },
  trust: {
    form: trusts,
    description: "untrusted: the arguments hold data from outside, such as a web page's.",
    isByCall: true,
  },
  discloses: {
    form: "boolean",
    description:
      "Whether the arguments name a host from outside and hold beside it what was read here: a connection would tell it to that host.",
    isByCall: true,
  },
  effect: {
    form: [...effectKinds, "none"],
    description: "The kind of effect; none: the call declares no effect.",
  },
  target: {
    form: "text",
    description: "Glob over what the effect touches: a path, a part of a command line, an origin.",
    isByCall: true,
  },
  within: {
    form: "boolean",
    description:
      "Whether the target lies within allowedPaths or allowedHosts; of a command: it is known to only read.",
    isByCall: true,
  },
  confined: {
    form: "boolean",
    description: "Whether a command runs in the sandbox.",
    readCommand: ({ confined = false }) => confined,
  },
  routine: {
    form: "boolean",
    description:
      "Of a command: whether nothing is known against it: it can be read, has no known risk, starts no code of the workspace and names no existing file.",
    readCommand: ({ routine = false }) => routine,
  },
  risky: {
    form: "boolean",
    description:
      "Whether a risk of a command is known. A command without a known risk may be risky all the same.",
    readCommand: ({ risk }) => risk !== undefined,
  },
  opaque: {
    form: "boolean",
    description: "Whether nobody can know what a command does before it runs.",
    readCommand: ({ opaque = false }) => opaque,
  },
  undoable: {
    form: "boolean",
    description:
      "Of a command: whether a snapshot taken before it runs can bring back what it changes, as far as its line tells.",
    readCommand: ({ undoable = false }) => undoable,
  },
  arguments: {
    form: "object",
    description: "Globs over arguments, by dotted path.",
    isByCall: true,
  },
  reason: { form: "text", description: "Shown to whoever is asked or refused." },
  remember: {
    form: remembrances,
    description:
      "The longest time for which an answer to a rule that asks may be remembered (default always).",
  },
  exact: {
    form: "boolean",
    description:
      "Of a rule that asks: an answer is remembered for exactly this call or not at all, and no wider grant covers it (default false).",
  },
};
