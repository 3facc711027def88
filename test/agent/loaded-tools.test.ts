import { expect, test } from "vitest";
import { z } from "zod";
import { Interrupts } from "../../src/agent/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import { agreeing, Installation } from "../support/installation.ts";
import { type AskedRequest, serveModel, streamEvents } from "../support/model-server.ts";
import { both, type WireName } from "../support/model-wires.ts";
import type { ProviderTurn } from "../support/scripted-provider.ts";
import { toWire } from "../support/scripted-wires.ts";

type Calls = NonNullable<ProviderTurn["calls"]>;

/** The names of the tools in a request. */
function listTools({ body }: AskedRequest): readonly string[] {
  const tools = body["tools"] as readonly { name?: string; function?: { name: string } }[];
  return tools.map(({ name, function: one }) => name ?? one?.name ?? "");
}

/** What happens when an agent loads two tools, and calls them as it is shown them. */
async function loadAndCall(provider: WireName, message: string) {
  const place = new Installation();
  place.write(
    "home/agent/config.md",
    "---\nid: small\nallowedTools: [load_tools, search_tools, call_tool, stamp, publish]\n---\nDo it.\n",
  );
  const stamped: unknown[] = [];
  const server = await serveModel((response, asked) => {
    const names = listTools(asked);
    const call = (name: string, input: object): Calls[number] =>
      names.includes(name) ? { name, input } : { name: "call_tool", input: { name, arguments: input } };
    const turns: readonly ProviderTurn[] = [
      { calls: [{ name: "load_tools", input: { tool: ["stamp", "publish"] } }] },
      { calls: [call("stamp", { text: "a", times: 2 }), call("publish", { host: "example.com" })] },
      { calls: [call("stamp", { text: 5 })] },
      { text: "Done." },
    ];
    const turn = turns[server.asked.length - 1] ?? { text: "Over." };
    return streamEvents(toWire(provider, { ...turn, inputTokens: Math.ceil(asked.raw.length / 4) }))(
      response,
      asked,
    );
  });
  const { app } = await place.open(
    `models:\n  main: { provider: ${provider}, url: "${server.url}", model: m, apiKey: k }\nagent: { model: main }\ntools: { budget: 100 }\n`,
  );
  app.registry.registerMany([
    defineTool({
      name: "stamp",
      description: "Stamp a text.",
      parameters: z.strictObject({ text: z.string(), times: z.int().default(1) }),
      annotations: { readOnly: true, openWorld: false },
      execute: (given) => {
        stamped.push(given);
        return `stamped ${given.text}`;
      },
    }),
    defineTool({
      name: "publish",
      description: "Publish a page.",
      parameters: z.strictObject({ host: z.string() }),
      effects: ({ host }) => [{ kind: "connect", target: `https://${host}`, within: false }],
      execute: ({ host }) => `published at ${host}`,
    }),
  ]);
  const host = await app.agent();
  const approver = agreeing();
  const parts = [{ type: "text" as const, text: message }];
  const run = await host.begin({ parts, channel: "test", agentId: "small" });
  const end = await host.drive(run, { emit: () => {}, interrupts: new Interrupts(), approver });
  const { sessions, ledger } = await app.store();
  const entries = await sessions.entries("local", run.sessionId);
  const records = await Promise.all(
    entries.flatMap((entry) => (entry.kind === "result" ? [ledger.show(entry.callId)] : [])),
  );
  return {
    asked: server.asked,
    epoch: (await sessions.get("local", run.sessionId))?.epoch,
    calls: entries.flatMap((entry) => (entry.kind === "result" ? [entry.name] : [])),
    outcome: {
      end,
      stamped,
      results: entries.flatMap((entry) => (entry.kind === "result" ? [entry.text] : [])).slice(1),
      ledger: records.map((record) => [record?.toolName, record?.state, record?.code]),
      asked: approver.asked.map(({ toolName, params }) => [toolName, params]),
    },
  };
}

test.for(both)(
  "tools that are loaded midway come to the same with %s, whether they are called by themselves or through call_tool",
  async (provider) => {
    const short = await loadAndCall(provider, "Stamp it.");
    const long = await loadAndCall(provider, `Stamp it. ${"All of this is to be known. ".repeat(1_500)}`);
    expect(short.calls).toEqual(["load_tools", "stamp", "publish", "stamp"]);
    expect(long.calls).toEqual(["load_tools", "call_tool", "call_tool", "call_tool"]);
    expect(long.outcome).toEqual(short.outcome);
    expect(short.outcome).toMatchObject({
      end: { state: "completed", text: "Done." },
      stamped: [{ text: "a", times: 2 }],
      ledger: [
        ["load_tools", "completed", undefined],
        ["stamp", "completed", undefined],
        ["publish", "completed", undefined],
        ["stamp", "failed", "TOOL_VALIDATION"],
      ],
      asked: [["publish", { host: "example.com" }]],
    });
    // A short conversation begins an epoch; a long one keeps its beginning, and has the definitions at its end.
    expect([short.epoch, long.epoch]).toEqual([2, 1]);
    expect(listTools(short.asked[1] as AskedRequest)).toEqual([
      ...listTools(short.asked[0] as AskedRequest),
      "stamp",
      "publish",
    ]);
    expect(long.asked[1]?.body["tools"]).toEqual(long.asked[0]?.body["tools"]);
    expect(JSON.stringify(long.asked[1]?.body["messages"])).toContain("Stamp a text.");
  },
);
