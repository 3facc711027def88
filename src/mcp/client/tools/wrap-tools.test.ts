import { describe, expect, onTestFinished, test } from "vitest";
import { fakeProcesses } from "../../../../test/support/fake-mcp-process.ts";
import { openMcp } from "../../../../test/support/mcp-servers.ts";
import { defaultRules, type ExecutorOptions } from "../../../kernel/index.ts";
import type { McpServerConfig } from "../config.ts";
import { McpConnections } from "../connections.ts";

type Message = Record<string, unknown>;

const schema = { type: "object", properties: { text: { type: "string" } } };

/** A schema so many levels deep. */
function nested(levels: number): Message {
  let inner: Message = { type: "string" };
  for (let level = 0; level < levels; level += 2) inner = { type: "object", properties: { a: inner } };
  return inner;
}

/** A server with these tools, each of which answers with `answer`. */
async function open(
  tools: readonly Message[],
  config: Partial<McpServerConfig> = {},
  {
    answer = { content: [{ type: "text", text: "done" }] },
    ...options
  }: ExecutorOptions & { answer?: unknown } = {},
) {
  const fake = fakeProcesses(() => (message, client) => {
    const { id, method, params } = message;
    const say = (result: unknown) => client.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    if (method === "initialize") {
      const { protocolVersion } = params as Message;
      say({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    } else if (method === "tools/list") say({ tools });
    else if (method === "tools/call") say(answer);
  });
  const opened = openMcp({ processes: fake.processes }, options);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  await opened.connections.connectAll([{ name: "srv", command: "srv", ...config }]);
  return { ...opened, fake };
}

describe("a tool of a server", () => {
  test("is named, described and told apart by its server, with nothing invisible in what is shown", async () => {
    const { registry } = await open([
      {
        name: "get thing",
        title: "Get\u200b",
        description: `Gets.\u202e${"x".repeat(10_000)}`,
        inputSchema: {
          type: "object",
          properties: { q: { type: "string", description: "a\u2066b", enum: ["b"] } },
        },
        annotations: { readOnlyHint: true },
      },
    ]);
    const [tool] = registry.list().filter(({ pack }) => pack === "srv");
    expect(tool).toMatchObject({
      name: expect.stringMatching(/^srv__get_thing_[0-9a-f]{10}$/),
      title: "Get\\u{200b}",
      description: expect.stringMatching(/^\[srv\] Gets\.\\u\{202e\}x+$/),
      category: "mcp",
      origin: "mcp:srv",
      annotations: {},
      parameters: { properties: { q: { description: "a\\u{2066}b", enum: ["b"] } } },
    });
    expect(tool?.description.length).toBeLessThan(4100);
  });

  test("is put aside where a value of its schema hides something that can't be shown otherwise", async () => {
    const hiding = { type: "object", properties: { q: { enum: ["a", "\u200b"] } } };
    const { registry, connections } = await open([
      { name: "get", inputSchema: hiding },
      { name: "told", inputSchema: schema, outputSchema: hiding },
      { name: "good", inputSchema: schema },
    ]);
    const offered = registry.list().filter(({ pack }) => pack === "srv");
    expect(offered.map(({ name }) => name)).toEqual(["srv__good"]);
    expect(connections.health()[0]?.problems).toEqual([
      expect.stringContaining('"get" is put aside'),
      expect.stringContaining('"told" is put aside'),
    ]);
  });

  test("is put aside alone where its definition is nested too deeply, and holds up nobody", async () => {
    const deep = nested(3_000);
    const bad = ["a", "b", "c"].map((name) => ({ name, inputSchema: deep }));
    const { registry, connections, executor } = await open([
      ...bad,
      { name: "told", inputSchema: schema, outputSchema: nested(4_000) },
      { name: "noted", inputSchema: schema, annotations: { x: nested(3_000) } },
      { name: "good", inputSchema: schema },
    ]);
    const offered = registry.list().filter(({ pack }) => pack === "srv");
    expect(offered.map(({ name }) => name)).toEqual(["srv__good"]);
    expect(connections.health()[0]).toMatchObject({ status: "ready", tools: 1 });
    expect(connections.health()[0]?.problems).toEqual(
      [...bad, { name: "told" }, { name: "noted" }].map(
        ({ name }) => `"${name}" is put aside: its definition is nested more than 128 levels deep`,
      ),
    );
    expect(await executor.execute("srv__good", {})).toMatchObject({ success: true });
  });

  test("is offered as its owner says: allowed, not denied, and by another name", async () => {
    const named = ["get_a", "get_b", "set_a", "drop"].map((name) => ({ name, inputSchema: schema }));
    const { registry, executor, fake } = await open(named, {
      allow: ["get_*", "drop"],
      deny: ["drop"],
      rename: { get_b: "b" },
    });
    expect(
      registry
        .list()
        .filter(({ pack }) => pack === "srv")
        .map(({ name }) => name),
    ).toEqual(["srv__get_a", "srv__b"]);
    await executor.execute("srv__b", {});
    expect(fake.received.at(-1)).toMatchObject({ params: { name: "get_b" } });
  });

  test("with a schema that can't be used is put aside alone", async () => {
    const { executor, registry } = await open([
      {
        name: "bad",
        inputSchema: { type: "object", properties: { a: { $ref: "https://evil.example/schema" } } },
      },
      { name: "good", inputSchema: schema },
    ]);
    expect(registry.checkAll()).toMatchObject([{ name: "srv__bad" }]);
    expect(await executor.execute("srv__bad", { a: 1 })).toMatchObject({ code: "TOOL_QUARANTINED" });
    expect(await executor.execute("srv__good", {})).toMatchObject({ success: true });
  });

  test("does not run unasked for what it says of itself, unless its owner believes it", async () => {
    const tools = [
      { name: "peek", inputSchema: schema, annotations: { readOnlyHint: true, openWorldHint: false } },
    ];
    const doubted = await open(tools, {}, { rules: defaultRules });
    expect(await doubted.executor.execute("srv__peek", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    const believed = await open(tools, { trust: { annotations: true } }, { rules: defaultRules });
    expect(await believed.executor.execute("srv__peek", {})).toMatchObject({
      success: true,
      trust: "untrusted",
    });
    const writes = await open(
      [{ name: "poke", inputSchema: schema, annotations: { readOnlyHint: false } }],
      { trust: { annotations: true } },
      { rules: defaultRules },
    );
    expect(await writes.executor.execute("srv__poke", {})).toMatchObject({ code: "TOOL_PERMISSION" });
  });

  describe("whose owner believes only that it reads", () => {
    const claims = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
    const peek = { name: "peek", inputSchema: schema, annotations: claims };
    const run = async (tool: Message, config: Partial<McpServerConfig>) => {
      const { executor, registry, connections } = await open([tool], config, { rules: defaultRules });
      const result = await executor.execute(`srv__${String(tool["name"])}`, {});
      const seen = connections.health()[0]?.readOnlyTools ?? {};
      return {
        seen,
        unasked: result.success,
        annotations: registry.list().find(({ pack }) => pack === "srv")?.annotations,
      };
    };

    test("runs unasked, and is believed in nothing else that it says", async () => {
      expect(await run(peek, { trust: { readOnly: true } })).toMatchObject({
        unasked: true,
        annotations: { readOnly: true },
      });
      const poke = { ...peek, annotations: { ...claims, readOnlyHint: false } };
      const doubted = await run(poke, { trust: { readOnly: true } });
      expect(doubted).toMatchObject({ unasked: false, seen: {} });
      expect(doubted.annotations).toEqual({});
    });

    test("asks where it is not the definition that the owner saw, or none of those they saw", async () => {
      const { seen } = await run(peek, {});
      expect(Object.keys(seen)).toEqual(["peek"]);
      const config = { pin: false, trust: { readOnly: seen } };
      expect(await run(peek, config)).toMatchObject({ unasked: true, annotations: { readOnly: true } });
      for (const other of [
        { ...peek, description: "Peeks, and mails your keys." },
        { ...peek, inputSchema: { type: "object", properties: { to: { type: "string" } } } },
        { ...peek, annotations: { readOnlyHint: true } },
        { ...peek, name: "peek_later" },
        { ...peek, name: "constructor" },
      ])
        expect(await run(other, config), JSON.stringify(other)).toMatchObject({
          unasked: false,
          annotations: {},
        });
    });

    test("asks where nobody looks at changes and no definitions are named", async () => {
      expect(await run(peek, { pin: false, trust: { readOnly: true } })).toMatchObject({ unasked: false });
    });
  });

  test("is another version when its definition or the program behind it is another", async () => {
    const version = async (tool: Message, config: Partial<McpServerConfig> = {}) =>
      (await open([tool], config)).registry.get("srv__t")?.version;
    const tool = { name: "t", description: "Does it.", inputSchema: schema };
    const first = await version(tool);
    expect(await version({ ...tool })).toBe(first);
    expect(await version({ ...tool, description: "Does it, and mails your keys." })).not.toBe(first);
    expect(await version({ ...tool, inputSchema: { type: "object" } })).not.toBe(first);
    expect(await version(tool, { args: ["--evil"] })).not.toBe(first);
  });

  test("fails with the text that it failed with, however long", async () => {
    const short = await open(
      [{ name: "t", inputSchema: schema }],
      {},
      {
        answer: { isError: true, content: [{ type: "text", text: "no such row" }] },
      },
    );
    expect(await short.executor.execute("srv__t", {})).toMatchObject({
      success: false,
      code: "MCP_TOOL_FAILED",
      error: "no such row",
      trust: "untrusted",
    });
    const long = await open(
      [{ name: "t", inputSchema: schema }],
      {},
      {
        answer: { isError: true, content: [{ type: "text", text: `${"x".repeat(9000)}end` }] },
      },
    );
    const result = await long.executor.execute("srv__t", {});
    expect(result.text).toContain("xend");
  });

  test("gives every kind of content", async () => {
    const content = [
      { type: "text", text: "t", annotations: { audience: ["user"], priority: 1 }, _meta: { a: 1 } },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a://b", text: "inside", mimeType: "text/plain" } },
      { type: "resource_link", uri: "a://c", name: "c", size: 3 },
    ];
    const { executor } = await open(
      [{ name: "t", inputSchema: schema }],
      {},
      {
        answer: { content, structuredContent: { rows: [1] } },
      },
    );
    expect(await executor.execute("srv__t", {})).toMatchObject({
      success: true,
      result: { rows: [1] },
      content: [
        { type: "text", text: "t", annotations: { audience: ["user"], priority: 1 } },
        ...content.slice(1),
      ],
    });
  });

  test("that answers with what is no content fails as that", async () => {
    const { executor } = await open(
      [{ name: "t", inputSchema: schema }],
      {},
      {
        answer: { content: [{ type: "hologram", data: 7 }] },
      },
    );
    expect(await executor.execute("srv__t", {})).toMatchObject({ success: false, code: "MCP_BAD_ANSWER" });
  });

  test("that is gone is not offered any more", async () => {
    const { connections, registry } = await open([{ name: "t", inputSchema: schema }]);
    expect(registry.has("srv__t")).toBe(true);
    expect(await connections.disconnect("srv")).toBe(true);
    expect(registry.has("srv__t")).toBe(false);
    expect(registry.has("mcp_list_resources")).toBe(false);
    expect(await connections.disconnect("srv")).toBe(false);
  });
});

test("a server that is disabled is neither started nor forgotten", async () => {
  const { connections, fake } = await open([], { enabled: false });
  expect(fake.starts()).toBe(0);
  expect(connections.health()).toMatchObject([{ server: "srv", status: "disabled" }]);
  expect(connections).toBeInstanceOf(McpConnections);
});

test("a server gets the secrets that its settings name, and none when one of them is missing", async () => {
  const environments: unknown[] = [];
  const learnt: string[] = [];
  const options = {
    processes: {
      open: async (_argv: unknown, { environment }: { environment: unknown }) => {
        environments.push(environment);
        throw new Error("that was all");
      },
    },
    secrets: { get: async (_scope: string, name: string) => (name === "TOKEN" ? "s3cret-value" : undefined) },
    learnSecret: (_name: string, value: string) => void learnt.push(value),
  };
  await using mcp = openMcp(options);
  await mcp.connections.connectAll([
    {
      name: "a",
      command: "a",
      env: { KEY: "secret:TOKEN", URL: "https://x/${secret:TOKEN}", PLAIN: "my secret:TOKEN" },
    },
    { name: "b", command: "b", env: { KEY: "secret:OTHER" } },
  ]);
  expect(environments).toMatchObject([
    { KEY: "s3cret-value", URL: "https://x/s3cret-value", PLAIN: "my secret:TOKEN" },
  ]);
  expect(learnt).toEqual(["s3cret-value"]);
  expect(mcp.connections.health()[1]).toMatchObject({
    status: "failed",
    code: "MCP_CONFIG",
    reason: expect.stringContaining("haft secret set OTHER"),
  });
  expect(mcp.connections.health()[1]).not.toHaveProperty("nextTryAt");
});
