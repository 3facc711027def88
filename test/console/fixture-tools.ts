import type { ConsoleApi, ListedTool, ToolsApi } from "../../src/server/console/api/index.ts";
import { type createQuestion, hostile } from "./fixture-data.ts";

interface Request {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}
type Answers = { readonly [Key in keyof ToolsApi]: (request: Request) => ConsoleApi[Key]["answer"] };

/** A schema with all that a form has a field for. */
const schemaOfAll: Record<string, unknown> = {
  type: "object",
  properties: {
    title: { type: "string", description: `What it is called ${hostile}` },
    count: { type: "integer", minimum: 1 },
    ratio: { type: "number" },
    loud: { type: "boolean" },
    level: { enum: ["low", "high", 3, null] },
    tags: { type: "array", items: { type: "string" } },
    place: {
      type: "object",
      properties: { city: { type: "string" }, zip: { type: ["string", "null"] } },
      required: ["city"],
    },
    target: {
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "file" }, path: { type: "string" } },
          required: ["kind", "path"],
        },
        {
          type: "object",
          properties: { kind: { const: "url" }, url: { type: "string" } },
          required: ["kind", "url"],
        },
      ],
    },
    headers: { type: "object", additionalProperties: { type: "string" } },
    tree: { $ref: "#/$defs/node" },
    rest: {},
  },
  required: ["title", "count"],
  additionalProperties: false,
  $defs: {
    node: {
      type: "object",
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
      required: ["name"],
    },
  },
};

const names = ["bash", "edit", "fetch_url", "memory_search", "read", "write"];
const servers = ["github_create_issue", "make_all"];

function createTool(name: string, at: number): ListedTool {
  const isServer = servers.includes(name);
  return {
    name,
    description: `${name} does what it says, and no more. ${hostile}`,
    category: isServer ? "issues" : "files",
    pack: isServer ? "github" : "files",
    kind: isServer ? "server" : "pack",
    version: "1.2.0",
    annotations: { readOnly: name === "read" },
    tier: name === "edit" ? undefined : at % 2 === 0 ? "core" : "on demand",
    tokens: name === "edit" ? undefined : 120 + 37 * at,
    shown: true,
    callable: true,
    allowed: name !== "write",
    calls: at * 311,
    failed: at * 3,
    stopped: 0,
    p50Ms: at === 0 ? undefined : at * 4,
    p95Ms: at === 0 ? undefined : at * 900,
    p99Ms: at === 0 ? undefined : at * 1900,
    lastAt: 0,
  };
}

/** The answers of the page of tools. `ask` makes a question that waits, for a call that asks one. */
export function answerTools(
  now: number,
  isEmpty: boolean,
  ask: (id: string, change: Parameters<typeof createQuestion>[2]) => void,
): Answers {
  const tools = isEmpty ? [] : [...names, ...servers].map(createTool);
  const find = (name: string | undefined) => tools.find((tool) => tool.name === name);
  return {
    "GET /tools": ({ query }) => ({
      target: (query.get("target") ?? "openai") as ConsoleApi["GET /tools"]["answer"]["target"],
      tokenizer: "o200k",
      basis: "Counted with o200k, as the API has the definitions.",
      whole: { tools: tools.length, tokens: 2140 },
      lean: { tools: 4, tokens: 610 },
      tools,
      quarantined: isEmpty ? [] : [{ name: "odd", reason: `its schema has no type ${hostile}` }],
    }),
    "GET /tools/:name": ({ segments: [name] }) => {
      const tool = find(name);
      if (tool === undefined) return undefined as never;
      return {
        tool: { ...tool, parameters: schemaOfAll },
        pack: tool.pack,
        kind: tool.kind,
        obstacles: tool.allowed
          ? []
          : [{ part: "allowed", message: `rule 3 denies it ${hostile}`, remedy: "change the rule" }],
        forms: (["openai", "anthropic", "gemini", "mcp"] as const).map((target) => ({
          target,
          definition: { name: tool.name, description: hostile, parameters: schemaOfAll },
          tokens: 412,
        })),
        versions: [
          { tool: tool.name, version: "1.2.0", share: 100, calls: 40, failed: 2, averageMs: 12, lastAt: now },
          {
            tool: tool.name,
            version: "1.1.0",
            share: undefined,
            calls: 9,
            failed: 4,
            averageMs: 90,
            lastAt: now,
          },
        ],
        states: [
          { ...tool, value: "completed", calls: 38, p50Ms: 12, p95Ms: 90 },
          { ...tool, value: "failed", calls: 2, p50Ms: 4, p95Ms: 5 },
        ],
        command: `haft tools show ${tool.name}`,
      };
    },
    "POST /tools/:name/dry-run": ({ segments: [name = ""], body }) => {
      const outcome = name === "write" ? "deny" : name === "bash" ? "ask" : "allow";
      const rule = {
        number: 3,
        source: "own file",
        rule: { tool: name, decision: outcome, reason: `as the owner says ${hostile}` },
      } as const;
      return {
        outcome,
        tool: name,
        params: (body as { readonly params: unknown }).params,
        mode: "ask",
        trust: "trusted",
        agent: undefined,
        channel: "console",
        decision: outcome,
        effects: [
          {
            effect: { kind: "write", target: `/home/ada/shop/notes.txt ${hostile}`, within: true },
            decision: outcome,
            rule,
            others: [],
          },
        ],
        grants: [],
        whyAsked: undefined,
        inTheWay: [],
        toAllow: [],
        refusal: undefined,
        notes: [],
      };
    },
    "POST /tools/:name/run": ({ segments: [name = ""], body }) => {
      const { params } = body as { readonly params: unknown };
      const settled = {
        callId: "c_3997",
        toolName: name,
        startedAt: now,
        completedAt: now + 12,
        durationMs: 12,
        notes: [`"count" was "2": taken as a number ${hostile}`],
        text: "done",
        trust: "untrusted",
        private: false,
      } as const;
      if (name === "fetch_url")
        return { ...settled, success: false, error: `There is no such page ${hostile}`, code: "HTTP_404" };
      if (name !== "bash") return { ...settled, success: true, result: { given: params, said: hostile } };
      ask("q_tried", { params: { command: "npm publish" }, origin: { channel: "console" } });
      // The fixture waits with this answer until the question has one.
      return { ...settled, success: true, result: "published" };
    },
  };
}
