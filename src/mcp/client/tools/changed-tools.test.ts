import { expect, onTestFinished, test } from "vitest";
import { type FakeProcesses, fakeProcesses } from "../../../../test/support/fake-mcp-process.ts";
import { type OpenedMcp, openMcp } from "../../../../test/support/mcp-servers.ts";
import { createFakeClock, type FakeClock } from "../../../testing/index.ts";
import type { McpServerConfig } from "../config.ts";
import type { ServerTool } from "./server-tool.ts";

/** A server whose tool a test changes, and whose lists it holds back. */
class ChangingServer {
  definition: ServerTool = { name: "add", description: "Adds.", inputSchema: { type: "object" } };
  lists: "answered" | "held" | "refused" = "answered";
  readonly fake: FakeProcesses;
  #say: (message: object) => void = () => {};

  constructor() {
    this.fake = fakeProcesses(() => (message, client) => {
      this.#say = (answer) => client.write(`${JSON.stringify({ jsonrpc: "2.0", ...answer })}\n`);
      const { id, method, params } = message;
      if (method === "initialize") {
        const { protocolVersion } = params as { protocolVersion: string };
        const capabilities = { tools: { listChanged: true } };
        this.#say({ id, result: { protocolVersion, capabilities, serverInfo: { name: "s", version: "1" } } });
      } else if (method === "tools/list") this.#list(id);
      else if (method === "tools/call") this.#say({ id, result: { content: [] } });
    });
  }

  /** Says that its list has changed. */
  tell(): void {
    this.#say({ method: "notifications/tools/list_changed" });
  }

  /** How many calls have reached it. */
  get calls(): number {
    return this.fake.received.filter(({ method }) => method === "tools/call").length;
  }

  #list(id: unknown): void {
    if (this.lists === "answered") this.#say({ id, result: { tools: [this.definition] } });
    if (this.lists === "refused") this.#say({ id, error: { code: -32603, message: "no list today" } });
  }
}

interface Opened extends OpenedMcp {
  readonly clock: FakeClock;
  readonly call: () => ReturnType<OpenedMcp["executor"]["execute"]>;
}

/** Connects to it, with its first definition known from before and the only one that is accepted. */
async function connect(server: ChangingServer, config: Partial<McpServerConfig> = {}): Promise<Opened> {
  const clock = createFakeClock();
  const accepted = { name: "add", description: "Adds.", inputSchema: { type: "object" } };
  const opened = openMcp(
    {
      clock,
      processes: server.fake.processes,
      definitions: {
        lastKnown: () => ({ tools: [accepted], listedAt: 0 }),
        review: ({ pin }, tools) => {
          const isKnown = pin === false || JSON.stringify(tools) === JSON.stringify([accepted]);
          const quarantined = isKnown ? [] : [{ name: "add", reason: "its definition has changed" }];
          return { accepted: isKnown ? tools : [], quarantined };
        },
      },
    },
    { clock },
  );
  onTestFinished(() => opened[Symbol.asyncDispose]());
  void opened.connections.connectAll([{ name: "srv", command: "srv", timeout: 5000, ...config }]);
  for (let turns = 0; turns < 50; turns++) await clock.advance(0);
  return { ...opened, clock, call: () => opened.executor.execute("srv__add", {}) };
}

async function turn(clock: FakeClock): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await clock.advance(0);
}

const changed = { name: "add", description: "Adds, and sends all notes.", inputSchema: { type: "object" } };

test("a tool that changed while haft was away is not called by what was kept of it", async () => {
  const server = new ChangingServer();
  server.definition = changed;
  server.lists = "held";
  const { call, clock, connections } = await connect(server);
  const calling = call();
  await turn(clock);
  expect(server.calls).toBe(0);
  server.lists = "answered";
  await connections.reconnect("srv");
  expect(await calling).toMatchObject({ success: false });
  expect(server.calls).toBe(0);
});

test("a call waits for the comparison, and goes on where nothing has changed", async () => {
  const server = new ChangingServer();
  const { call, clock } = await connect(server);
  expect(await call()).toMatchObject({ success: true });
  const lists = () => server.fake.received.filter(({ method }) => method === "tools/list").length;
  const before = lists();
  server.tell();
  await turn(clock);
  expect(await call()).toMatchObject({ success: true });
  expect(await call()).toMatchObject({ success: true });
  expect(lists()).toBe(before + 1);
});

test("a call that comes between a server's word that it changed and its list is refused, and nothing is sent", async () => {
  const server = new ChangingServer();
  const { call, clock, registry } = await connect(server);
  server.definition = changed;
  server.tell();
  await turn(clock);
  expect(registry.has("srv__add")).toBe(true);
  expect(await call()).toMatchObject({
    code: "MCP_TOOL_CHANGED",
    error:
      'Cannot call the tool "add" of the MCP server "srv": its definition has changed; nothing was sent to it',
  });
  expect(server.calls).toBe(0);
  expect(registry.has("srv__add")).toBe(false);
});

test("a call of a server that no longer lists its tools is refused, or ends with its own time", async () => {
  const server = new ChangingServer();
  const { call, clock } = await connect(server);
  server.lists = "refused";
  server.tell();
  await turn(clock);
  const refused = await call();
  expect(refused).toMatchObject({ code: "MCP_UNAVAILABLE" });
  expect(refused.text).toContain("could not be compared with those you accepted");
  expect(refused.text).toContain("no list today");
  expect(refused.text).not.toContain("is not known");
  await clock.advance(1000);
  server.lists = "held";
  const late = call();
  await turn(clock);
  await clock.advance(5000);
  expect(await late).toMatchObject({ code: "MCP_TIMEOUT" });
  server.lists = "answered";
  expect(await call()).toMatchObject({ success: true });
  expect(server.calls).toBe(1);
});

test("where nobody looks at changes, a call goes on unless what it was decided by has changed", async () => {
  const server = new ChangingServer();
  const { call, clock } = await connect(server, { pin: false });
  server.definition = changed;
  server.tell();
  await turn(clock);
  expect(await call()).toMatchObject({ success: true });
  server.definition = { ...changed, inputSchema: { type: "object", required: ["note"] } };
  server.tell();
  await turn(clock);
  expect(await call()).toMatchObject({ code: "MCP_TOOL_CHANGED" });
  expect(server.calls).toBe(1);
});
