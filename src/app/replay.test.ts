import { expect, onTestFinished, test } from "vitest";
import { defineChain } from "../formats/index.ts";
import { ToolRegistry } from "../index.ts";
import { type CallContext, createRedactor, type Rule, type Tool, ToolExecutor } from "../kernel/index.ts";
import { type ReplayedCall, recordedCalls, replayCall, replayTask } from "./replay.ts";
import { openStore, type Store } from "./store/open-store.ts";

/** What the tools below see and change. */
interface World {
  text: string;
  changes: number;
}

function listTools(world: World): Tool[] {
  const parameters = {
    type: "object",
    properties: { name: { type: "string" }, key: { type: "string" } },
    required: ["name"],
    additionalProperties: false,
  } as const;
  const base = { description: "A tool.", category: "test", version: "1", parameters } as const;
  return [
    {
      ...base,
      name: "look",
      annotations: { readOnly: true },
      effects: ({ name }: { readonly name: string }) => [{ kind: "read", target: `/${name}`, within: true }],
      execute: () => {
        if (world.text === "") throw new Error("there is nothing");
        return world.text;
      },
    } as Tool,
    {
      ...base,
      name: "fetch",
      annotations: { readOnly: true },
      effects: () => [{ kind: "connect", target: "https://example.com", within: true }],
      execute: () => `${++world.changes}`,
    } as Tool,
    {
      ...base,
      name: "change",
      annotations: {},
      effects: ({ name }: { readonly name: string }) => [{ kind: "write", target: `/${name}`, within: true }],
      execute: () => `${++world.changes}`,
    } as Tool,
    {
      ...base,
      name: "command",
      annotations: { readOnly: false },
      effects: ({ name }: { readonly name: string }) => [
        {
          kind: "run",
          target: name,
          within: name.startsWith("ls"),
          ...(name === "ls ?" && { opaque: true }),
        },
        { kind: "read", target: "/", within: true },
      ],
      execute: () => `${++world.changes}`,
    } as Tool,
    {
      ...base,
      name: "attach",
      annotations: {},
      effects: () => [{ kind: "read", target: "/", within: true }],
      execute: () => `${++world.changes}`,
    } as Tool,
    {
      ...base,
      name: "unlock",
      annotations: { readOnly: true, openWorld: false },
      secretParams: ["key"],
      execute: () => "open",
    } as Tool,
  ];
}

interface Bench {
  readonly world: World;
  readonly store: Store;
  /** An executor over the tools as they are then. */
  readonly gate: (change?: {
    readonly rules?: readonly Rule[];
    readonly tools?: (tools: Tool[]) => Tool[];
  }) => {
    readonly registry: ToolRegistry;
    readonly executor: ToolExecutor;
  };
}

async function makeBench(): Promise<Bench> {
  const world = { text: "first\nsecond\n", changes: 0 };
  const store = await openStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  return {
    world,
    store,
    gate: ({ rules, tools = (all: Tool[]) => all } = {}) => {
      const registry = new ToolRegistry();
      registry.registerMany(tools(listTools(world)));
      const executor = new ToolExecutor(registry, {
        ledger: store.ledger,
        redact: createRedactor(new Map([["pass", "hunter2-hunter2"]])),
        maxOutputChars: 2000,
        artifacts: store.artifacts,
        ...(rules !== undefined && { rules }),
      });
      return { registry, executor };
    },
  };
}

const { signal } = new AbortController();
const task: CallContext = { taskId: "t_1", agentId: "writer" };

async function replay(
  { store }: Bench,
  gate: ReturnType<Bench["gate"]>,
  id = "t_1",
): Promise<readonly ReplayedCall[]> {
  const options = { ...gate, context: {}, ledger: store.ledger, signal };
  const replayed: ReplayedCall[] = [];
  for await (const call of recordedCalls(id, options))
    replayed.push(await replayCall(call, replayTask(id), options));
  return replayed;
}

/** Records one call, lets the world and the gate change, and says what its replay comes to. */
async function replayAfter(
  name: string,
  params: unknown,
  change: (bench: Bench) => ReturnType<Bench["gate"]>,
): Promise<Omit<ReplayedCall, "callId" | "toolName"> | undefined> {
  const bench = await makeBench();
  await bench.gate().executor.run(name, params, task);
  const [one] = await replay(bench, change(bench));
  if (one === undefined) return undefined;
  const { callId: _callId, toolName: _toolName, ...came } = one;
  return came;
}

test("replayCall() runs a tool that only reads again, and finds its result the same", async () => {
  const bench = await makeBench();
  await bench.gate().executor.run("look", { name: "a" }, task);
  const [call] = await bench.store.ledger.list();
  expect(await replay(bench, bench.gate())).toEqual([
    { callId: call?.callId, toolName: "look", outcome: "same", why: "it gives the same result" },
  ]);
});

test("replayCall() shows where a result is another", async () => {
  const came = await replayAfter("look", { name: "a" }, (bench) => {
    bench.world.text = "first\nSecond\n";
    return bench.gate();
  });
  expect(came).toEqual({
    outcome: "different",
    what: "result",
    why: "its result is another, from character 7 on",
    recorded: "first\nsecond\n",
    now: "first\nSecond\n",
    at: 6,
  });
});

test("replayCall() knows a result that is another only after what the ledger kept of it", async () => {
  const bench = await makeBench();
  bench.world.text = `${"x".repeat(1000)}a`;
  await bench.gate().executor.run("look", { name: "a" }, task);
  bench.world.text = `${"x".repeat(1000)}b`;
  expect(await replay(bench, bench.gate())).toMatchObject([
    { outcome: "different", what: "result", why: "its result is another, after what the ledger kept of it" },
  ]);
});

test("replayCall() takes a long output for the same, although it is kept under another name", async () => {
  const bench = await makeBench();
  bench.world.text = "x".repeat(10_000);
  await bench.gate().executor.run("look", { name: "a" }, task);
  expect(await replay(bench, bench.gate())).toMatchObject([{ outcome: "same" }]);
});

test("replayCall() takes a failure for a result", async () => {
  const bench = await makeBench();
  bench.world.text = "";
  await bench.gate().executor.run("look", { name: "a" }, task);
  expect(await replay(bench, bench.gate())).toMatchObject([{ outcome: "same" }]);
  bench.world.text = "something";
  expect(await replay(bench, bench.gate())).toMatchObject([{ outcome: "different", what: "result" }]);
});

test.for(["change", "fetch"])("replayCall() does not repeat %s, which does more than read", async (name) => {
  const bench = await makeBench();
  await bench.gate().executor.run(name, { name: "a" }, task);
  expect(await replay(bench, bench.gate())).toMatchObject([
    {
      outcome: "stands",
      why: "it would be decided as it was (allow); it may change things, so it is not run again",
    },
  ]);
  expect(bench.world.changes).toBe(1);
});

test("replayCall() does not repeat a call that makes others, whatever it says of itself", async () => {
  const bench = await makeBench();
  const careless: Tool = {
    ...defineChain({
      name: "careless",
      description: "A chain.",
      parameters: { type: "object" },
      annotations: { readOnly: true, openWorld: false },
      steps: [{ id: "a", tool: "change", arguments: { name: "a" } }],
    }),
  };
  const gate = bench.gate({ tools: (all) => [...all, careless] });
  await gate.executor.run("careless", {}, task);
  expect(await replay(bench, gate)).toMatchObject([{ outcome: "stands" }, { outcome: "stands" }]);
  expect(bench.world.changes).toBe(1);
});

test("replayCall() runs a command again that is known to change nothing, and no other", async () => {
  const rules: readonly Rule[] = [{ decision: "allow" }];
  const getOutcome = async (tool: string, name: string) => {
    const bench = await makeBench();
    await bench.gate({ rules }).executor.run(tool, { name }, task);
    const [replayed] = await replay(bench, bench.gate({ rules }));
    return [replayed?.outcome, bench.world.changes];
  };
  expect(await getOutcome("command", "ls")).toEqual(["different", 2]);
  expect(await getOutcome("command", "ls ?")).toEqual(["stands", 1]);
  expect(await getOutcome("command", "rm")).toEqual(["stands", 1]);
  expect(await getOutcome("attach", "a")).toEqual(["stands", 1]);
});

test("replayCall() says that a tool is gone, or has another version", async () => {
  const without = await replayAfter("look", { name: "a" }, ({ gate }) =>
    gate({ tools: (all) => all.filter(({ name }) => name !== "look") }),
  );
  expect(without).toMatchObject({
    outcome: "different",
    what: "tool",
    recorded: "version 1",
    now: "no such tool",
  });
  const newer = await replayAfter("look", { name: "a" }, ({ gate }) =>
    gate({ tools: (all) => all.map((tool) => ({ ...tool, version: "2" })) }),
  );
  expect(newer).toMatchObject({
    outcome: "different",
    what: "version",
    recorded: "version 1",
    now: "version 2",
  });
});

test("replayCall() says that a tool that was not there still is not, or is now", async () => {
  const bench = await makeBench();
  await bench.gate({ tools: (all) => all.slice(1) }).executor.run("look", { name: "a" }, task);
  expect(await replay(bench, bench.gate({ tools: (all) => all.slice(1) }))).toMatchObject([
    { outcome: "same" },
  ]);
  expect(await replay(bench, bench.gate())).toMatchObject([
    { outcome: "different", what: "tool", recorded: "no such tool", now: "version 1" },
  ]);
});

const nameIsShort = (all: Tool[]) =>
  all.map((tool) => ({
    ...tool,
    parameters: {
      type: "object",
      properties: { name: { type: "string", maxLength: 1 } },
      required: ["name"],
    },
  })) as Tool[];

test("replayCall() says that arguments are not valid any more, or are now", async () => {
  const invalid = await replayAfter("look", { name: "long" }, ({ gate }) => gate({ tools: nameIsShort }));
  expect(invalid).toMatchObject({ outcome: "different", what: "arguments", recorded: "completed" });
  const bench = await makeBench();
  await bench.gate({ tools: nameIsShort }).executor.run("look", { name: "long" }, task);
  expect(await replay(bench, bench.gate({ tools: nameIsShort }))).toMatchObject([
    { outcome: "same", why: "it ends with TOOL_VALIDATION, as it did" },
  ]);
  expect(await replay(bench, bench.gate())).toMatchObject([
    { outcome: "different", what: "arguments", recorded: "failed [TOOL_VALIDATION]", now: "valid" },
  ]);
});

test("replayCall() says that arguments are read in another way", async () => {
  const came = await replayAfter("look", { name: "a" }, ({ gate }) =>
    gate({
      tools: (all) =>
        all.map((tool) => ({
          ...tool,
          parameters: {
            type: "object",
            properties: { name: { type: "string" }, depth: { type: "number", default: 3 } },
            required: ["name"],
          },
        })) as Tool[],
    }),
  );
  expect(came).toMatchObject({ outcome: "different", what: "arguments", now: '{"name":"a","depth":3}' });
});

test("replayCall() says what rules say now, and runs nothing that they would not let run", async () => {
  const bench = await makeBench();
  await bench.gate().executor.run("look", { name: "a" }, task);
  const allow = { decision: "allow", by: '{"decision":"allow","effect":"read","within":true}' };
  for (const decision of ["ask", "deny"] as const) {
    const rule = { decision, tool: "look" };
    const [came] = await replay(bench, bench.gate({ rules: [rule] }));
    expect(came).toMatchObject({
      outcome: "different",
      what: "decision",
      why: `rules said allow and say ${decision} now`,
      recorded: `${allow.decision}, by ${allow.by}`,
      now: `${decision}, by ${JSON.stringify(rule)}`,
    });
  }
  expect((await bench.store.ledger.list()).length).toBe(1);
});

test("replayCall() takes a refusal for the same where rules refuse still, and asks nobody again", async () => {
  const deny = [{ decision: "deny" }] as const;
  const ask = [{ decision: "ask" }] as const;
  const bench = await makeBench();
  await bench.gate({ rules: deny }).executor.run("look", { name: "a" }, task);
  expect(await replay(bench, bench.gate({ rules: deny }))).toMatchObject([{ outcome: "same" }]);
  expect(await replay(bench, bench.gate())).toMatchObject([{ outcome: "different", what: "decision" }]);
  const approver = {
    identity: "owner:ada",
    ask: () => Promise.resolve({ approved: true, by: "owner:ada" } as const),
  };
  await bench.gate({ rules: ask }).executor.run("look", { name: "b" }, { taskId: "t_2", approver });
  expect(await replay(bench, bench.gate({ rules: ask }), "t_2")).toMatchObject([
    {
      outcome: "stands",
      why: "it would be decided as it was (ask); nobody is asked again, so it is not run",
    },
  ]);
});

test.for([
  ["secret arguments", "unlock", { name: "door", key: "open sesame" }],
  ["a secret in them", "look", { name: "hunter2-hunter2" }],
  ["more than the ledger keeps", "look", { name: "x".repeat(5000) }],
] as const)("replayCall() does not replay a call with %s", async ([, name, params]) => {
  const came = await replayAfter(name, params, ({ gate }) => gate());
  expect(came).toEqual({
    outcome: "unchecked",
    why: "its arguments were cut, or had secrets taken out, when it was recorded",
  });
});

test("replayCall() records what it runs as part of the replay, by whoever called then", async () => {
  const bench = await makeBench();
  await bench
    .gate()
    .executor.run("look", { name: "a" }, { ...task, userId: "ada", origin: { channel: "cli" } });
  await replay(bench, bench.gate());
  const [again, first] = await bench.store.ledger.list();
  expect(again).toMatchObject({
    taskId: "replay:t_1",
    agentId: "writer",
    userId: "ada",
    channel: "cli",
    state: "completed",
    resultDigest: first?.resultDigest,
  });
});

test("recordedCalls() finds a call, a task and a run by their id, oldest first, and nothing else", async () => {
  const bench = await makeBench();
  const { executor } = bench.gate();
  for (const name of ["a", "b"]) await executor.run("look", { name }, task);
  await executor.run("look", { name: "c" }, { callId: "c_named" });
  const listIds = async (id: string) => {
    const found: string[] = [];
    for await (const call of recordedCalls(id, { ledger: bench.store.ledger, signal }))
      found.push(call.paramsText);
    return found;
  };
  const [a, b, c] = ["a", "b", "c"].map((name) => JSON.stringify({ name }));
  const [newest] = await bench.store.ledger.list();
  expect(await listIds("c_named")).toEqual([c]);
  expect(await listIds("t_1")).toEqual([a, b]);
  expect(await listIds(newest?.runId ?? "")).toEqual([a, b, c]);
  expect(await listIds("t_2")).toEqual([]);
});

test("replayCall() stops when it is told to", async () => {
  const bench = await makeBench();
  await bench.gate().executor.run("look", { name: "a" }, task);
  const [call] = await bench.store.ledger.list();
  if (call === undefined) return expect.unreachable();
  const reason = new Error("enough");
  const options = {
    ...bench.gate(),
    context: {},
    ledger: bench.store.ledger,
    signal: AbortSignal.abort(reason),
  };
  await expect(replayCall(call, "replay:t_1", options)).rejects.toBe(reason);
});
