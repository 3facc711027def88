// oxlint-disable unicorn/no-thenable -- hostile thenables are among what is tested
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, echo, RecordingLedger } from "../../../test/support/test-executor.ts";
import { unwrapCallTool } from "../registry/interaction/call-tool.ts";
import { defineTool } from "../tool/tool.ts";

const any = defineTool({ ...echo, name: "any", parameters: z.any(), execute: () => "done" });
const raw = defineTool({
  ...echo,
  name: "raw",
  parameters: {
    type: "object",
    properties: { text: { type: "string" }, deep: { $ref: "#" } },
    required: ["text"],
    additionalProperties: false,
  },
  execute: () => "done",
});

const hiding = defineTool({ ...any, name: "hiding", secretParams: ["text"] });
const standing = { ...any, name: "standing", unwrap: unwrapCallTool };
const composing = defineTool({ ...any, name: "composing", composes: true });

const cycle: Record<string, unknown> = { text: "a" };
cycle["self"] = cycle;
const nested = (levels: number): unknown => {
  let value: unknown = { text: "a" };
  for (let level = 0; level < levels; level++) value = { text: "a", deep: value };
  return value;
};
const refuse = (): never => {
  throw new Error("no");
};
const hostile: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  "a symbol": Symbol("s"),
  "a BigInt": 10n,
  "a BigInt inside": { text: 10n },
  "a function": () => 1,
  "a cycle": cycle,
  "a getter that throws": {
    get text(): string {
      return refuse();
    },
  },
  "a toJSON that throws": { text: "a", toJSON: refuse },
  "a proxy that throws": new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse },
  ),
  "a revoked proxy": (() => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  })(),
  "a __proto__ key": JSON.parse('{"text":"a","__proto__":{"polluted":true}}'),
  "no prototype": Object.create(null),
  "1,000,000 levels": nested(1_000_000),
  "a huge key": { ["k".repeat(1_000_000)]: 1 },
};

test.for(Object.entries(hostile))(
  "ToolExecutor.execute() answers arguments that are %s",
  async ([, params]) => {
    const tools = [echo, any, raw, hiding, standing, composing];
    const { executor } = createTestExecutor(tools, { ledger: new RecordingLedger() });
    for (const { name } of tools) {
      const result = await executor.execute(name, params);
      expect(typeof result.success).toBe("boolean");
      expect(result.text.length).toBeLessThanOrEqual(25_000);
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  },
);

test("ToolExecutor.execute() answers any arguments at all", async () => {
  const { executor } = createTestExecutor([echo, any, raw, hiding, standing, composing]);
  await fc.assert(
    fc.asyncProperty(
      fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true, withDate: true }),
      fc.constantFrom(
        "echo",
        "any",
        "raw",
        "hiding",
        "standing",
        "composing",
        "__proto__",
        "constructor",
        "",
      ),
      async (params, name) => typeof (await executor.execute(name, params)).success === "boolean",
    ),
  );
});

const unreadable = new Error("hidden");
Object.defineProperty(unreadable, "message", { get: refuse });
const thrown: Readonly<Record<string, readonly [unknown, string]>> = {
  undefined: [undefined, "undefined"],
  null: [null, "null"],
  "a string": ["broken", "broken"],
  "an object": [{ status: 500 }, '{"status":500}'],
  "a cycle": [cycle, "[object Object]"],
  "a symbol": [Symbol("s"), "Symbol(s)"],
  "a frozen error": [Object.freeze(new Error("frozen")), "frozen"],
  "an error without a message": [new RangeError(), "RangeError"],
  "an error that can't be read": [unreadable, "something was thrown that cannot be read"],
  "an object without a prototype": [
    Object.assign(Object.create(null) as object, { big: 1n }),
    "something was thrown that cannot be read",
  ],
  "a proxy that throws": [
    new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
    "something was thrown that cannot be read",
  ],
  "an error with details that are no JSON": [Object.assign(new Error("odd"), { details: { cycle } }), "odd"],
  "an error with a message that is no text": [Object.assign(new Error(), { message: 5 }), "5"],
};

test.for(Object.entries(thrown))(
  "ToolExecutor.execute() answers a tool that throws %s",
  async ([, [value, error]]) => {
    const throwing = (execute: () => unknown) =>
      createTestExecutor([defineTool({ ...echo, execute })]).executor;
    const expected = { success: false, code: "TOOL_FAILED", error };
    const sync = throwing(() => {
      throw value;
    });
    expect(await sync.execute("echo", { text: "a" })).toMatchObject(expected);
    const late = throwing(() => Promise.reject(value));
    expect(await late.execute("echo", { text: "a" })).toMatchObject(expected);
  },
);

test.for<[string, (...args: never) => unknown]>([
  ["thenable that throws", () => ({ then: refuse })],
  ["thenable whose then throws when read", () => Object.defineProperty({}, "then", { get: refuse })],
  [
    "generator that yields nonsense",
    async function* () {
      yield null as never;
    },
  ],
  [
    "generator that throws while it ends",
    async function* () {
      try {
        yield 5 as never;
      } finally {
        refuse();
      }
    },
  ],
  ["value that is a proxy", () => new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse })],
  ["cycle", () => cycle],
  ["BigInt", () => 1n],
  ["value whose toJSON throws", () => ({ toJSON: refuse })],
])("ToolExecutor.execute() answers a tool that gives a %s", async ([, execute]) => {
  const { executor, clock } = createTestExecutor([
    defineTool({ ...echo, execute: execute as () => unknown }),
  ]);
  expect(await executor.execute("echo", { text: "a" })).toMatchObject({ success: false });
  expect(clock.pending).toBe(0);
});

test("ToolExecutor.execute() answers when every function it was given throws", async () => {
  const bad = defineTool({
    ...echo,
    execute: (_, { output }) => {
      output("some");
      throw new Error("and fails");
    },
  });
  const { executor } = createTestExecutor([bad], {
    redact: refuse,
    onError: refuse,
    hooks: [{ name: "bad", appliesTo: refuse, blocking: false, before: refuse, after: refuse }],
    ledger: { start: async () => refuse(), end: refuse },
    artifacts: { put: refuse, readText: refuse, readBytes: refuse },
    howToAllow: () => "never mind",
  });
  executor.events.on(refuse);
  expect(await executor.execute("echo", { text: "a" })).toMatchObject({
    success: false,
    code: "TOOL_UNRECORDED",
  });
  expect(await executor.execute("none", undefined)).toMatchObject({
    success: false,
    code: "TOOL_NOT_FOUND",
  });
});

test.for(["effects", "locks", "timeoutMs"])(
  "ToolExecutor.execute() runs nothing if the tool's %s throws, and keeps no place for it",
  async (part) => {
    const ran: unknown[] = [];
    const tool = defineTool({ ...echo, [part]: refuse, execute: () => ran.push(1) });
    const { executor } = createTestExecutor([tool, any], { maxConcurrent: 1 });
    expect(await executor.execute("echo", { text: "a" })).toMatchObject({ success: false, error: "no" });
    expect(ran).toEqual([]);
    expect(await executor.execute("any", {})).toMatchObject({ success: true });
  },
);

test("ToolExecutor.execute() answers a call though whoever is told of its success throws, and says so", async () => {
  const faults: unknown[] = [];
  const { executor } = createTestExecutor([echo], {
    onSuccess: refuse,
    onError: (error) => faults.push(error),
  });
  expect(await executor.execute("echo", { text: "a" })).toMatchObject({ success: true, result: "a" });
  expect(faults).toEqual([new Error("no")]);
});
