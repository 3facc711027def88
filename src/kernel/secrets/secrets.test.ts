import { describe, expect, test } from "vitest";
import { collectEvents, createTestExecutor, RecordingLedger } from "../../../test/support/test-executor.ts";
import type { Approval, GrantKey } from "../policy/approval.ts";
import { defineTool } from "../tool/tool.ts";
import { createRedactor } from "./redact.ts";

const value = "canary-Zq7-value";

const keep = defineTool({
  name: "keep",
  description: "Keeps a secret.",
  parameters: {
    type: "object",
    properties: { key: { type: "string" }, value: { type: "string", maxLength: 40 } },
    required: ["key", "value"],
    additionalProperties: false,
  },
  secretParams: ["value"],
  execute: () => "kept",
});

/** All that leaves the gate for one call, in one text. */
async function traceCall(params: unknown, name = "keep") {
  const ledger = new RecordingLedger();
  const approvals: Approval[] = [];
  const granted: GrantKey[] = [];
  const { executor, errors } = createTestExecutor([keep], {
    rules: [],
    ledger,
    approver: {
      identity: "ada",
      ask: (approval) => {
        approvals.push(approval);
        return Promise.resolve({ approved: true, by: "ada", remember: { offer: "exact", term: "always" } });
      },
    },
    grants: {
      find: (key) => {
        granted.push(key);
        return Promise.resolve(undefined);
      },
      add: ({ key }) => {
        granted.push(key);
        return Promise.resolve("g_1");
      },
      whyNot: () => Promise.resolve(undefined),
    },
  });
  const events = collectEvents(executor);
  const result = await executor.run(name, params);
  return {
    result,
    approvals,
    granted,
    text: JSON.stringify([ledger.entries, approvals, granted, events, result, errors.map(String)]),
  };
}

describe("Tool.secretParams", () => {
  test("are hidden in the ledger, in events and in questions, and the tool gets them", async () => {
    const { result, approvals, granted, text } = await traceCall({ key: "TOKEN", value });
    expect(result).toMatchObject({ success: true });
    expect(approvals.map(({ params }) => params)).toEqual([{ key: "TOKEN", value: "[secret]" }]);
    expect(text).not.toContain(value);
    expect(text).toContain("TOKEN");
    expect(granted).toEqual([]);
  });

  test.each([
    ["misspelt", { key: "TOKEN", valeu: value }],
    ["of the wrong form", { key: 1, value: [value] }],
    ["too long", { key: "TOKEN", value: value.repeat(3) }],
    ["in JSON given as text", JSON.stringify({ key: "TOKEN", value })],
    ["in a text that is no JSON", `TOKEN=${value}`],
    ["in a list", ["TOKEN", value]],
  ])("are hidden where they are %s", async (_, params) => {
    const { text } = await traceCall(params);
    expect(text).not.toContain(value);
  });

  test("are hidden in the call of a tool that is not there, as of one whose name was misspelt", async () => {
    const { result, text } = await traceCall({ key: "TOKEN", value }, "kep");
    expect(result).toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect(text).not.toContain(value);
  });

  test("are hidden where a schema's own message repeats what it received", async () => {
    const talkative = defineTool({
      name: "keep",
      description: "Keeps a secret.",
      parameters: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (given) => ({
            issues: [
              { message: `was ${JSON.stringify(given)}`, path: ["value"] },
              { message: `was ${JSON.stringify(given)}` },
            ],
          }),
          jsonSchema: { input: () => ({ type: "object", properties: { value: { type: "string" } } }) },
        },
      },
      secretParams: ["value"],
      execute: () => "kept",
    });
    const { executor } = createTestExecutor([talkative]);
    const result = await executor.execute("keep", { value });
    expect(result).toMatchObject({ code: "TOOL_VALIDATION" });
    expect(JSON.stringify(result)).not.toContain(value);
  });
});

test("ToolExecutor.execute() keeps a secret argument out of whatever its tool or a hook says", async () => {
  const telling = defineTool({
    ...keep,
    execute: ({ value: given }, context) => {
      context.output(given.slice(0, 5));
      context.output(given.slice(5));
      context.progress(1, 2, `with ${given}`);
      throw Object.assign(new Error(`${given} is wrong: ${btoa(given)}`), {
        details: { given },
        code: given,
      });
    },
  });
  const ledger = new RecordingLedger();
  const { executor } = createTestExecutor([telling], {
    ledger,
    hooks: [
      {
        name: "talkative",
        blocking: false,
        before: ({ params }) => {
          throw new Error(`it saw ${JSON.stringify(params)}`);
        },
      },
    ],
  });
  const events = collectEvents(executor);
  const result = await executor.run("keep", { key: "TOKEN", value });
  expect(result).toMatchObject({
    error: "[redacted:value] is wrong: [redacted:value]==",
    partial: "[redacted:value]",
    notes: [expect.stringContaining("[redacted:value]")],
  });
  const text = JSON.stringify([ledger.entries, events, result]);
  expect(text).not.toContain(value);
  expect(text).not.toContain(btoa(value).slice(0, 16));
});

const asking = (secrets?: readonly string[]) =>
  defineTool({
    name: "asking",
    description: "Asks for a secret.",
    parameters: { type: "object" },
    ...(secrets !== undefined && { secrets }),
    execute: async (_params, context) => {
      const got = await context.secret("TOKEN");
      context.output(got.slice(0, 8));
      context.output(got.slice(8));
      return { length: got.length, got };
    },
  });

const source = {
  get: (scope: string, name: string) =>
    Promise.resolve(scope === "local" && name === "TOKEN" ? value : undefined),
};

describe("ToolContext.secret()", () => {
  test("gives a declared secret, which is out of the result although nobody told the redactor", async () => {
    const { executor } = createTestExecutor([asking(["TOKEN"])], {
      secrets: source,
      redact: createRedactor(new Map()),
    });
    const result = await executor.execute("asking", {});
    expect(result).toMatchObject({
      success: true,
      result: { length: value.length, got: "[redacted:TOKEN]" },
    });
  });

  test.each([
    ["one that is not declared", asking(), {}, "SECRET_UNDECLARED"],
    ["one that another tool declares", asking(["OTHER"]), {}, "SECRET_UNDECLARED"],
    ["one of another scope", asking(["TOKEN"]), { scope: "other" }, "SECRET_NOT_FOUND"],
  ])("refuses %s", async (_, tool, context, code) => {
    const { executor } = createTestExecutor([tool], { secrets: source });
    expect(await executor.execute("asking", {}, context)).toMatchObject({ success: false, code });
  });

  test("refuses where there is no store", async () => {
    const { executor } = createTestExecutor([asking(["TOKEN"])]);
    expect(await executor.execute("asking", {})).toMatchObject({ code: "SECRET_NOT_FOUND" });
  });
});

describe("ExecutorOptions", () => {
  test("redact takes a known secret out of the questions and events of any tool", async () => {
    const approvals: Approval[] = [];
    const plain = defineTool({
      name: "plain",
      description: "Takes a text.",
      parameters: { type: "object" },
      effects: (params) => {
        const target = `echo ${JSON.stringify(params)}`;
        return [{ kind: "run", target, within: false, aliases: [`/bin/${target}`] }];
      },
      execute: () => "done",
    });
    const { executor } = createTestExecutor([plain], {
      rules: [],
      redact: createRedactor(new Map([["TOKEN", value]])),
      approver: {
        identity: "ada",
        ask: (approval) => {
          approvals.push(approval);
          return Promise.resolve({ approved: true, by: "ada" });
        },
      },
    });
    const events = collectEvents(executor);
    expect(await executor.execute("plain", { text: `say ${value}` })).toMatchObject({ success: true });
    expect(approvals).toMatchObject([
      {
        params: { text: "say [redacted:TOKEN]" },
        effects: [
          {
            target: 'echo {"text":"say [redacted:TOKEN]"}',
            aliases: ['/bin/echo {"text":"say [redacted:TOKEN]"}'],
          },
        ],
      },
    ]);
    expect(events).toMatchObject([{ type: "tool.requested", params: { text: "say [redacted:TOKEN]" } }]);
  });

  test("ready is waited for before anything is announced, and its failure is the call's", async () => {
    const redact = createRedactor(new Map());
    const learn = async () => redact.learn("TOKEN", value);
    const { executor } = createTestExecutor([keep], { redact, ready: learn });
    const events = collectEvents(executor);
    await executor.execute("keep", { key: value, value: "x" });
    expect(events).toMatchObject([{ params: { key: "[redacted:TOKEN]" } }]);
    const broken = createTestExecutor([keep], { ready: () => Promise.reject(new Error("not ready")) });
    expect(await broken.executor.execute("keep", { key: "K", value: "x" })).toMatchObject({
      success: false,
      error: "not ready",
    });
  });
});
