import { describe, expect, onTestFinished, test } from "vitest";
import {
  chaosIn,
  type FakeProcesses,
  fakeProcesses,
  type Receive,
} from "../../../test/support/fake-mcp-process.ts";
import { type OpenedMcp, openMcp } from "../../../test/support/mcp-servers.ts";
import { answering } from "../../../test/support/questions.ts";
import type { ExecutorOptions } from "../../kernel/index.ts";
import { ChaosMcpServer, createFakeClock, type FakeClock } from "../../testing/index.ts";
import type { McpServerConfig } from "./config.ts";
import type { McpConnectionsOptions } from "./connections.ts";

interface Started extends OpenedMcp {
  readonly clock: FakeClock;
  readonly fake: FakeProcesses;
  readonly call: (tool: string) => ReturnType<OpenedMcp["executor"]["execute"]>;
  readonly health: () => ReturnType<OpenedMcp["connections"]["health"]>[number] | undefined;
}

async function start(
  serve: () => Receive = chaosIn(),
  config: Partial<McpServerConfig> = {},
  options: Partial<McpConnectionsOptions> = {},
  executorOptions: ExecutorOptions = {},
): Promise<Started> {
  const clock = createFakeClock();
  const fake = fakeProcesses(serve);
  const opened = openMcp({ clock, processes: fake.processes, ...options }, { clock, ...executorOptions });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  void opened.connections.connectAll([{ name: "chaos", command: "chaos", ...config }]);
  // What speaks the protocol is loaded when it is first needed, which takes real time.
  await expect.poll(() => fake.starts()).toBeGreaterThan(0);
  for (let turns = 0; turns < 50; turns++) await clock.advance(0);
  return {
    ...opened,
    clock,
    fake,
    call: (tool) => opened.executor.execute(`chaos__${tool}`, {}),
    health: () => opened.connections.health()[0],
  };
}

/** Time goes by in small steps: what one timer sets off may set another. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) await clock.advance(Math.min(left, 100));
  for (let turns = 0; turns < 20; turns++) await clock.advance(0);
}

describe("a call that asks", () => {
  async function startAsking() {
    const approver = answering({ approved: true, by: "ann" });
    const started = await start(chaosIn(), {}, {}, { rules: [{ decision: "ask" }], approver });
    return { ...started, approver };
  }

  test("is put to nobody while its server is away, and is once the server is back", async () => {
    const { clock, fake, call, health, approver } = await startAsking();
    fake.crash();
    await expect.poll(() => health()?.status).toBe("failed");
    expect(await call("echo")).toMatchObject({ success: false, code: "MCP_UNAVAILABLE" });
    expect(approver.asked).toEqual([]);
    await clock.advance(1000);
    await expect.poll(() => health()?.status).toBe("ready");
    await call("echo");
    expect(approver.asked).toHaveLength(1);
  });
});

describe("a server that ends at once", () => {
  test("is started ever less often, and says why it is not there and when it is tried again", async () => {
    const { clock, fake, health } = await start(chaosIn({ start: "crash" }));
    fake.stderr.text = "cannot open database";
    const gaps: number[] = [];
    for (let tries = 0; tries < 8; tries++) {
      // Its exit is awaited in real time, for its code.
      await expect.poll(() => health()?.status).toBe("failed");
      const { nextTryAt = 0, reason } = health() ?? {};
      gaps.push(nextTryAt - clock.now());
      if (tries > 0) expect(reason).toContain("ended with code 7; it said: cannot open database");
      await clock.advance(nextTryAt - clock.now());
    }
    expect(gaps).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(fake.starts()).toBeGreaterThanOrEqual(8);
  });

  test("fails each of many calls at once, with one start for all of them", async () => {
    const chaos = new ChaosMcpServer();
    let alive = true;
    const { clock, fake, call, health } = await start(() => (message, client) => {
      if (alive) chaos.receive(message, client, (json) => `${json}\n`);
      else client.crash();
    });
    expect(health()?.status).toBe("ready");
    alive = false;
    fake.crash();
    await expect.poll(() => health()?.status).toBe("failed");
    await clock.advance(1000);
    await expect.poll(() => health()?.status).toBe("failed");
    const before = fake.starts();
    await clock.advance(1500);
    const results = await Promise.all(Array.from({ length: 20 }, () => call("echo")));
    for (const result of results) {
      expect(result).toMatchObject({ success: false, code: "MCP_UNAVAILABLE" });
      expect(result.text).toContain('"chaos"');
    }
    expect(fake.starts()).toBe(before + 1);
    const again = await call("echo");
    expect(again.text).toMatch(/the next try is in \d+ ms/);
    expect(fake.starts()).toBe(before + 1);
  });
});

describe("a server that goes away", () => {
  test("keeps its tools, which say how old their list is, and is there again", async () => {
    const { clock, fake, call, health, registry } = await start();
    await pass(clock, 5000);
    fake.stderr.text = "out of memory";
    fake.crash();
    await expect.poll(() => health()?.reason).toContain("ended with code 7; it said: out of memory");
    expect(health()?.status).toBe("failed");
    expect(registry.has("chaos__echo")).toBe(true);
    expect(health()).toMatchObject({ tools: 14, listAgeMs: 5000, reconnects: 1 });
    await pass(clock, 2000);
    expect(health()).toMatchObject({ status: "ready" });
    expect(await call("echo")).toMatchObject({ success: true });
  });

  test("has a call that it was at repeated only where its owner says that it may be", async () => {
    const chaos = new ChaosMcpServer();
    const { clock, call } = await start(chaosIn(chaos), { repeat: ["ha*"] });
    const failed = await call("crash");
    expect(failed).toMatchObject({ success: false, code: "MCP_UNAVAILABLE" });
    expect(failed.text).toContain('whether the tool "crash" was done is not known');
    expect(chaos.calls.get("crash")).toBe(1);
    await pass(clock, 3000);

    const careless = new ChaosMcpServer();
    const other = await start(chaosIn(careless), { repeat: ["cr*"] });
    const running = other.call("crash");
    await pass(other.clock, 3000);
    expect(await running).toMatchObject({ success: false, code: "MCP_UNAVAILABLE" });
    expect(careless.calls.get("crash")).toBe(2);
  });
});

describe("a server that is idle", () => {
  test("is pinged, and made anew once it does not answer twice", async () => {
    let silent = false;
    const { clock, fake, health } = await start(() => {
      const receive = chaosIn()();
      return (message, client) => {
        if (!silent) receive(message, client);
      };
    });
    const pings = () => fake.received.filter(({ method }) => method === "ping").length;
    await pass(clock, 31_000);
    expect(pings()).toBe(1);
    expect(health()?.status).toBe("ready");
    silent = true;
    await pass(clock, 41_000);
    expect(health()).toMatchObject({ status: "degraded", reason: expect.stringContaining("a ping") });
    silent = false;
    await pass(clock, 31_000);
    expect(health()?.status).toBe("ready");
    silent = true;
    await pass(clock, 85_000);
    expect(health()?.status).toMatch(/failed|connecting/);
    silent = false;
    await pass(clock, 35_000);
    expect(health()?.status).toBe("ready");
    expect(fake.starts()).toBeGreaterThan(1);
  });

  test("is not pinged while it works on a call", async () => {
    const { clock, fake, call } = await start(chaosIn(), { timeout: 200_000 });
    void call("hang");
    await pass(clock, 120_000);
    expect(fake.received.some(({ method }) => method === "ping")).toBe(false);
  });
});

describe("the list of tools", () => {
  test("is asked for a few times in a storm of changes, and no listener hears of what is the same", async () => {
    const chaos = new ChaosMcpServer();
    let told = 0;
    const { clock, call } = await start(chaosIn(chaos), {}, { onTools: () => told++ });
    expect(chaos.lists).toBe(1);
    const before = told;
    for (let storms = 0; storms < 5; storms++) {
      const storm = call("storm");
      await pass(clock, 5000);
      expect(await storm).toMatchObject({ success: true });
    }
    await pass(clock, 10_000);
    expect(chaos.lists).toBeGreaterThan(1);
    // A few by its word, and at most one for each of the five calls, which has to see what changed before it.
    expect(chaos.lists).toBeLessThan(11);
    expect(told).toBe(before);
  });

  test("that changes gives tools of another version, which no earlier answer of a person holds for", async () => {
    const { clock, call, registry } = await start(chaosIn({ listing: "drift" }));
    const first = registry.get("chaos__echo");
    expect(first?.description).toBe("[chaos] Version 1.");
    await call("storm");
    await pass(clock, 2000);
    const second = registry.get("chaos__echo");
    expect(second?.description).toBe("[chaos] Version 2.");
    expect(second?.version).not.toBe(first?.version);
  });

  test("is what its owner has accepted of it, and what is known of it is there before the server is", async () => {
    const known = { name: "known", inputSchema: { type: "object" } };
    const { registry, health, connections } = await start(
      chaosIn({ start: "hang" }),
      {},
      {
        definitions: {
          lastKnown: () => ({ tools: [known], listedAt: Date.UTC(2025, 11, 31) }),
          review: (_server, tools) => ({ accepted: tools, quarantined: [] }),
        },
      },
    );
    expect(registry.has("chaos__known")).toBe(true);
    expect(health()).toMatchObject({ status: "connecting", tools: 1, listAgeMs: 86_400_000 });
    expect(connections.listTools("chaos")).toEqual([known]);

    const reviewed = await start(
      chaosIn(),
      {},
      {
        definitions: {
          lastKnown: () => undefined,
          review: (_server, tools) => ({
            accepted: tools.filter(({ name }) => name === "echo"),
            quarantined: [{ name: "hang", reason: "its description is another" }],
          }),
        },
      },
    );
    expect(reviewed.registry.list().filter(({ pack }) => pack === "chaos")).toHaveLength(1);
    expect(reviewed.health()).toMatchObject({ tools: 1, quarantined: [{ name: "hang" }] });
  });

  test("that can't be had leaves the one before, and says so", async () => {
    let lists = 0;
    const { clock, call, health, registry } = await start(() => {
      const receive = chaosIn()();
      return (message, client) => {
        if (message["method"] === "tools/list" && ++lists > 1)
          client.write(
            `${JSON.stringify({ jsonrpc: "2.0", id: message["id"], error: { code: -32603, message: "oh\u202e" } })}\n`,
          );
        else receive(message, client);
      };
    });
    await call("storm");
    await pass(clock, 2000);
    expect(registry.has("chaos__echo")).toBe(true);
    expect(health()).toMatchObject({
      status: "degraded",
      tools: 14,
      reason: expect.stringContaining("oh\\u{202e}"),
    });
  });
});

describe("a call", () => {
  test("of a server that hangs takes no place from others, and ends in time with its own error", async () => {
    const { clock, executor, registry, call } = await start(chaosIn(), { timeout: 5000, concurrency: 2 });
    registry.register({
      name: "local",
      description: "Works here.",
      category: "custom",
      parameters: { type: "object" },
      annotations: {},
      version: "1",
      execute: () => "done",
    });
    const hung = Array.from({ length: 6 }, () => call("hang"));
    await clock.advance(0);
    expect(await executor.execute("local", {})).toMatchObject({ success: true });
    await pass(clock, 16_000);
    for (const result of await Promise.all(hung))
      expect(result).toMatchObject({ success: false, code: "MCP_TIMEOUT" });
  });

  test("of a server that never answered at all ends with the connection", async () => {
    const { clock, connections, executor } = await start(chaosIn({ start: "hang" }), {
      connectTimeout: 3000,
    });
    const reading = executor.execute("mcp_list_resources", { server: "chaos" });
    await pass(clock, 3100);
    expect(await reading).toMatchObject({ success: false, code: "MCP_TIMEOUT" });
    expect(connections.health()[0]).toMatchObject({ status: "failed", code: "MCP_TIMEOUT", tools: 0 });
  });
});

test("McpConnections.reconnect() and callTool() reject for a server that is not there, and never throw", async () => {
  const { connections } = await start();
  const context = {} as Parameters<typeof connections.callTool>[3];
  const refusal = expect.objectContaining({ code: "MCP_UNKNOWN_SERVER" });
  await Promise.all([
    expect(connections.reconnect("nowhere")).rejects.toEqual(refusal),
    expect(connections.callTool("nowhere", "echo", {}, context)).rejects.toEqual(refusal),
  ]);
});
