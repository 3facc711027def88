import { availableParallelism } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { fakeProcesses } from "../../../test/support/fake-mcp-process.ts";
import { openMcp } from "../../../test/support/mcp-servers.ts";
import { createFakeClock } from "../../testing/index.ts";
import type { McpClientServices } from "./ports.ts";

const cores = Math.max(2, availableParallelism());

/** Fifty servers that answer nothing until they are let, and of which `kept` says what is known. */
function open(kept: (name: string) => boolean) {
  const clock = createFakeClock();
  const held: (() => void)[] = [];
  const fake = fakeProcesses(() => ({ id, method, params }, client) => {
    const say = (result: unknown) => client.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    if (method === "initialize") {
      const { protocolVersion } = params as { protocolVersion: string };
      const serverInfo = { name: "s", version: "1" };
      held.push(() => say({ protocolVersion, capabilities: { tools: {} }, serverInfo }));
    } else if (method === "tools/list") say({ tools: [tool] });
    else if (method === "tools/call") say({ content: [] });
  });
  const started: string[] = [];
  const processes: McpClientServices["processes"] = {
    open: (argv, options) => {
      started.push(String(argv[0]));
      return fake.processes.open(argv, options);
    },
  };
  const changes: { readonly tools: number; readonly started: number }[] = [];
  const opened = openMcp({
    clock,
    processes,
    definitions: {
      lastKnown: ({ name }) => (kept(name) ? { tools: [tool], listedAt: 0 } : undefined),
      review: (_server, tools) => ({ accepted: tools, quarantined: [] }),
    },
    onTools: (tools) =>
      changes.push({
        tools: tools.filter(({ origin }) => origin !== "haft").length,
        started: started.length,
      }),
  });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const servers = Array.from({ length: 50 }, (_, at) => ({ name: `s${at}`, command: `s${at}` }));
  const connecting = opened.connections.connectAll(servers);
  const turn = async () => {
    for (let turns = 0; turns < 100; turns++) await clock.advance(0);
  };
  const answer = async () => {
    for (const say of held.splice(0)) say();
    await turn();
  };
  return { ...opened, clock, started, changes, connecting, turn, answer };
}

const tool = { name: "get", inputSchema: { type: "object" } };

test("what was kept of fifty servers is offered as one change, before any of them starts", async () => {
  const { changes, connections, started, turn, answer } = open(() => true);
  await turn();
  expect(changes).toEqual([{ tools: 50, started: 0 }]);
  expect(started.length).toBe(cores);
  const health = connections.health();
  expect(health.map(({ status, tools }) => [status, tools])).toEqual(health.map(() => ["connecting", 1]));
  for (let rounds = 0; rounds < 50; rounds++) await answer();
  expect(connections.health().map(({ status }) => status)).toEqual(health.map(() => "ready"));
  expect(changes).toHaveLength(1);
});

test("servers of which nothing is kept do not wait for the others, and one that hangs makes room for the next", async () => {
  const { started, turn, answer, clock, connections } = open((name) => name !== "s49" && name !== "s48");
  await turn();
  expect(started.toSorted()).toEqual(
    [...Array.from({ length: cores }, (_, at) => `s${at}`), "s48", "s49"].toSorted(),
  );
  await clock.advance(499);
  await turn();
  expect(started.length).toBe(cores + 2);
  await clock.advance(1);
  await turn();
  expect(started.length).toBe(2 * cores + 2);
  await answer();
  expect(started.length).toBe(3 * cores + 2);
  await connections.disconnectAll();
  expect(started.length).toBe(3 * cores + 2);
});

test("a call of a server whose turn has not come starts it", async () => {
  const { executor, started, turn, answer } = open(() => true);
  await turn();
  const calling = executor.execute("s30__get", {});
  await turn();
  expect(started).toContain("s30");
  await answer();
  expect(await calling).toMatchObject({ success: true });
});
