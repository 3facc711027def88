import { describe, expect, test } from "vitest";
import type { ToolFailure } from "../../src/kernel/index.ts";
import type { McpServerConfig } from "../../src/mcp/index.ts";
import { ChaosMcpServer, type ChaosOptions, createChaosHttpHandler } from "../../src/testing/index.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { chaosOverStdio, type OpenedMcp, openMcp } from "../support/mcp-servers.ts";

interface Chaos extends OpenedMcp {
  readonly call: (tool: string, args?: object) => Promise<ToolFailure | string>;
}

async function overStdio(options: ChaosOptions = {}, config: Partial<McpServerConfig> = {}): Promise<Chaos> {
  const opened = openMcp();
  await opened.connections.connectAll([chaosOverStdio(options, { timeout: 15_000, ...config })]);
  return withCall(opened);
}

async function overHttp(options: ChaosOptions = {}, config: Partial<McpServerConfig> = {}): Promise<Chaos> {
  const opened = openMcp();
  const place = await listenOnLoopback(createChaosHttpHandler(new ChaosMcpServer(options)));
  await opened.connections.connectAll([
    { name: "chaos", url: place.url, type: "streamable-http", timeout: 15_000, ...config },
  ]);
  return withCall(opened);
}

function withCall(opened: OpenedMcp): Chaos {
  return {
    ...opened,
    call: async (tool, args = {}) => {
      const result = await opened.executor.execute(`chaos__${tool}`, args);
      return result.success ? result.text : result;
    },
  };
}

describe.each([
  { over: "stdio", open: overStdio },
  { over: "HTTP", open: overHttp },
])("a server of chaos over $over", ({ open }) => {
  test.each([
    { tool: "hang", code: /^MCP_TIMEOUT$/, timeout: 2000 },
    { tool: "drip", code: /^MCP_TIMEOUT$/, timeout: 2000 },
    { tool: "flood", code: /^MCP_(TIMEOUT|UNAVAILABLE)$/, timeout: 2000 },
    { tool: "wrong_id", code: /^MCP_TIMEOUT$/, timeout: 2000 },
    { tool: "crash", code: /MCP_UNAVAILABLE|MCP_BAD_ANSWER/ },
    { tool: "half", code: /MCP_UNAVAILABLE|MCP_BAD_ANSWER/ },
    { tool: "huge", code: "MCP_TOO_LARGE" },
    { tool: "lie", code: "MCP_BAD_ANSWER" },
    { tool: "nonsense", code: /MCP_BAD_ANSWER|MCP_TIMEOUT/, timeout: 2000 },
    { tool: "fail", code: "MCP_TOOL_FAILED" },
  ])(
    "ends a call of `$tool` with one typed error, and works on",
    async ({ tool, code, timeout = 15_000 }) => {
      await using chaos = await open({}, { timeout });
      const failure = (await chaos.call(tool)) as ToolFailure;
      expect(failure).toMatchObject({ success: false });
      expect(failure.code).toMatch(code);
      if (tool !== "fail") expect(failure.error).toContain('"chaos"');
      await expect.poll(() => chaos.call("echo", { text: "still here" })).toBe('{"text":"still here"}');
    },
  );

  test.each(["twice", "garbage", "storm"])("gives the one answer of `%s`", async (tool) => {
    await using chaos = await open();
    expect(await chaos.call(tool)).toMatch(/first|after the garbage|changed/);
    expect(await chaos.call("echo", { text: "again" })).toBe('{"text":"again"}');
  });

  test.each([
    { listing: "endless", tools: 500, problem: "its list has more than 100 pages" },
    { listing: "circle", tools: 24, problem: "its list runs in a circle" },
    { listing: "many", tools: 10_000, problem: "it has more than 10000 tools" },
    { listing: "broken", tools: 1, problem: "a tool has no name or no input schema" },
  ] as const)(
    "has its list of kind $listing taken as far as it goes",
    async ({ listing, tools, problem }) => {
      await using chaos = await open({ listing }, { timeout: 20_000 });
      const [health] = chaos.connections.health();
      expect(health).toMatchObject({ status: "ready", tools });
      if (listing !== "many") expect(health?.problems).toContain(problem);
    },
  );
});
