import { expect, onTestFinished, test } from "vitest";
import { McpDefinitions } from "../../src/app/sources/mcp-definitions.ts";
import { openStore } from "../../src/app/store/index.ts";
import { toTargetTool } from "../../src/formats/index.ts";
import { sourceRanks, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { McpConnections } from "../../src/mcp/index.ts";
import { ToolList } from "../../src/server/mcp/calls/tool-list.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { fakeProcesses } from "../support/fake-mcp-process.ts";
// Loaded on demand by haft: tests with a clock of their own count turns, and not how long a module takes to load.
import "../../src/mcp/client/sdk.ts";

const tools = [3, 11, 2, 10, 1].map((number) => ({
  name: `tool_${number}`,
  description: `Looks up number ${number}.`,
  inputSchema: { type: "object", properties: { number: { type: "integer" } } },
}));

interface Page {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

/** One process of haft after another, in front of a server that lists its tools when it is let. */
async function openWorld() {
  const clock = createFakeClock();
  const store = await openStore({ path: ":memory:", clock });
  onTestFinished(() => store.close());
  const held: (() => void)[] = [];
  const fake = fakeProcesses(() => ({ id, method, params }, client) => {
    const say = (result: unknown) => client.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    if (method === "initialize") {
      const { protocolVersion } = params as { protocolVersion: string };
      say({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    } else if (method === "tools/list") held.push(() => say({ tools }));
  });
  const turn = async () => {
    for (let turns = 0; turns < 50; turns++) await clock.advance(0);
  };
  return {
    store,
    clock,
    turn,
    /** The server gives the list that it was asked for. */
    answer: async () => {
      for (const say of held.splice(0)) say();
      await turn();
    },
    start: async () => {
      const counts = { converted: 0, looked: 0, changes: 0 };
      const registry = new ToolRegistry({
        format: (tool, schema, target) => {
          counts.converted++;
          return toTargetTool(tool, schema, target);
        },
      });
      registry.onChange(() => counts.changes++);
      const source = registry.source("an MCP server", sourceRanks.mcp);
      const connections = new McpConnections({
        clock,
        processes: fake.processes,
        connector: { open: () => Promise.reject(new Error("no network here")) },
        environment: { childEnvironment: () => ({}) },
        cwd: process.cwd(),
        definitions: new McpDefinitions({
          open: async () => store.definitions,
          scope: "local",
          nameSource: ({ name }) => `mcp:${name}`,
        }),
        onTools: (offered) => source.put(offered.filter(({ pack }) => pack === "srv")),
      });
      onTestFinished(() => connections.disconnectAll());
      void connections.connectAll([{ name: "srv", command: "srv" }]);
      await turn();
      const list = new ToolList({
        registry,
        shown: () => {
          counts.looked++;
          return true;
        },
        pageSize: 2,
        ttlMs: 5,
      });
      const executor = new ToolExecutor(registry);
      const page = (cursor?: string) =>
        JSON.parse(
          `{${list.page(cursor === undefined ? {} : { cursor }, false, { toolset: executor.toolset() })}}`,
        ) as Page;
      return { connections, counts, page };
    },
  };
}

test("a start with kept definitions lists them at once, and the same list from the server, while a client pages, is no news", async () => {
  const world = await openWorld();
  const first = await world.start();
  expect(first.page().tools).toEqual([]);
  await world.answer();
  expect(first.page().tools).toHaveLength(2);
  await first.connections.disconnectAll();

  const { counts, page, connections } = await world.start();
  const names: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  const before = counts.changes;
  do {
    const { tools: listed, nextCursor } = page(cursor);
    names.push(...listed.map(({ name }) => name));
    cursor = nextCursor;
    if (++pages === 1) await world.answer();
  } while (cursor !== undefined);
  expect(names).toEqual([1, 10, 11, 2, 3].map((number) => `srv__tool_${number}`));
  expect(connections.health()).toMatchObject([{ status: "ready", tools: 5, listAgeMs: 0 }]);
  expect(counts).toEqual({ converted: tools.length, looked: tools.length, changes: before });
});
