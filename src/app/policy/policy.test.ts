import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agreeing, Installation } from "../../../test/support/installation.ts";
import { HostError } from "../../host/index.ts";
import type { Rule } from "../../kernel/index.ts";
import { parseConfig } from "../config/config.ts";
import type { PolicyTest } from "../config/config-types.ts";
import { explainCall } from "./explain-call.ts";
import { runPolicyTests } from "./policy-tests.ts";
import { judgeRecordedCalls, readShadowNotes } from "./shadow-calls.ts";

const write = (path: string) => ({ path, content: "x" });
const never = new AbortController().signal;

describe("explainCall()", () => {
  test("names for every effect the rule that decided, its number, its place, and the others that hold", async () => {
    const place = new Installation();
    const { app } = await place.open(
      `permissions: [{ decision: deny, tool: write, target: "**/*.lock", reason: "made by the package manager" }]`,
    );
    const explained = await explainCall(app, "write", write("a.lock"), app.context);
    const decisive = app.rules.find(({ source }) => source === "own file");
    expect(explained).toMatchObject({
      tool: "write",
      mode: "ask",
      decision: "deny",
      grants: [],
      inTheWay: [decisive],
      toAllow: [],
    });
    const changed = explained.effects.find(({ effect }) => effect?.kind === "write");
    expect(changed).toMatchObject({
      effect: { target: join(place.folder, "a.lock"), within: true },
      decision: "deny",
      rule: decisive,
      others: [{ source: "default", rule: { decision: "allow", effect: "write" } }],
    });
    expect(decisive?.number).toBe(app.rules.indexOf(decisive as never) + 1);
  });

  test("says why a command would be refused where no sandbox is as strong as is asked for", async () => {
    const { app } = await new Installation().open("permissions: []");
    const call = ["bash", { command: "ls" }] as const;
    const executor = {
      foresee: async () => {
        throw new HostError("SANDBOX_REFUSED", "Cannot run commands: the strongest isolation here is none");
      },
    };
    const judge = { executor, mode: app.mode, loaded: app.loaded };
    const context = { ...app.context, origin: { channel: "cli" }, mode: "plan" } as const;
    expect(await explainCall(judge, ...call, context)).toMatchObject({
      tool: "bash",
      params: { command: "ls" },
      mode: "plan",
      channel: "cli",
      decision: "deny",
      refusal: "Cannot run commands: the strongest isolation here is none",
      effects: [],
      toAllow: [],
    });
    const expected = [{ tool: "bash", arguments: { command: "ls" }, expect: "deny" }] as const;
    expect(await runPolicyTests(judge, expected, context)).toMatchObject([
      { passed: false, decided: undefined, fault: expect.stringContaining("the strongest isolation") },
    ]);
  });

  test("proposes rules that then do allow the call", async () => {
    const place = new Installation();
    const call = ["delete_file", { path: "a.txt" }] as const;
    const task = await place.open("tools: { profile: task }");
    place.write("project/a.txt", "x");
    const before = await explainCall(task.app, ...call, task.app.context);
    expect(before).toMatchObject({ decision: "ask", inTheWay: [] });
    expect(before.toAllow).not.toEqual([]);
    const text = `tools: { profile: task }\npermissions:\n${before.toAllow.map((rule) => `  ${rule}\n`).join("")}`;
    const after = await place.open(text);
    expect(await explainCall(after.app, ...call, after.app.context)).toMatchObject({ decision: "allow" });
  });

  test("explains each call of a chain by its own name, and proposes rules that then do allow it", async () => {
    const place = new Installation();
    const get = { id: "page", tool: "http_get", arguments: { url: "https://example.com/" } };
    const steps = [get, { id: "list", tool: "listdir", arguments: { path: "." } }];
    const chain = ["run_chain", { steps }] as const;
    const { app } = await place.open("permissions: []");
    const asks = await explainCall(app, ...chain, app.context);
    expect(asks.decision).toBe("ask");
    expect(asks.effects.map(({ tool, decision }) => [tool, decision])).toEqual([
      [undefined, "allow"],
      ["http_get", "ask"],
      ["listdir", "allow"],
    ]);
    expect(asks.toAllow).toEqual([
      '- { decision: allow, tool: http_get, effect: connect, target: "https://example.com" }',
    ]);
    const wrapped = await explainCall(
      app,
      "call_tool",
      { name: "http_get", arguments: get.arguments },
      app.context,
    );
    expect(wrapped).toMatchObject({ tool: "http_get", decision: "ask", toAllow: asks.toAllow });

    const opened = await place.open(`permissions:\n  ${asks.toAllow.join("\n  ")}`);
    expect((await explainCall(opened.app, ...chain, opened.app.context)).decision).toBe("allow");

    const closed = await place.open("permissions: [{ decision: deny, tool: http_get }]");
    const denied = await explainCall(closed.app, ...chain, closed.app.context);
    expect(denied.decision).toBe("deny");
    expect(denied.inTheWay).toMatchObject([{ source: "own file", rule: { tool: "http_get" } }]);
    expect(denied.toAllow).toEqual([]);
  });

  test("says which remembered answer would do, and decides the same without it", async () => {
    const place = new Installation();
    place.write("project/a.txt", "x");
    const approver = {
      ...agreeing(),
      ask: async () => ({
        approved: true as const,
        by: "owner:ada",
        remember: { offer: "exact", term: "session" as const },
      }),
    };
    const installation = await place.open("permissions: [{ decision: ask, tool: read }]", { approver });
    const { app } = installation;
    expect((await installation.call("read", { path: "a.txt" })).success).toBe(true);
    expect(await explainCall(app, "read", { path: "a.txt" }, app.context)).toMatchObject({
      decision: "ask",
      grants: [expect.stringMatching(/^g/)],
    });
    expect(await explainCall(app, "read", { path: "b.txt" }, app.context)).toMatchObject({ grants: [] });
  });
});

describe("runPolicyTests()", () => {
  async function run(tests: readonly PolicyTest[], config = "") {
    const place = new Installation();
    place.shareProject();
    const { app } = await place.open(config);
    return runPolicyTests(app, tests, app.context);
  }

  test.for<[string, PolicyTest, string | undefined]>([
    ["a right expectation", { tool: "write", arguments: write("a"), expect: "allow" }, undefined],
    [
      "a wrong expectation",
      { tool: "write", arguments: write("a"), expect: "ask" },
      'expected ask, decided allow by rule 2 (default): {"decision":"allow","effect":"write","within":true}',
    ],
    ["another mode", { tool: "write", arguments: write("a"), mode: "plan", expect: "deny" }, undefined],
    [
      "mode locked, for what would ask",
      { tool: "write", arguments: write("/elsewhere/a"), mode: "locked", expect: "ask" },
      "expected ask, decided deny by no rule, and mode locked asks nobody",
    ],
    [
      "a part of the reason",
      { tool: "read", arguments: { path: ".env" }, expect: "ask", by: "secrets" },
      undefined,
    ],
    [
      "a part of the target",
      { tool: "read", arguments: { path: ".env" }, expect: "ask", by: ".env" },
      undefined,
    ],
    [
      "another rule than was meant",
      { tool: "read", arguments: { path: ".env" }, expect: "ask", by: "licence" },
      'and not by one that says "licence"',
    ],
    ["an unknown tool", { tool: "wirte", expect: "allow" }, 'did you mean "write"'],
    ["arguments that do not fit", { tool: "write", arguments: {}, expect: "deny" }, "path"],
    [
      "an agent",
      { tool: "write", arguments: write("a"), agent: "sub", expect: "deny", by: "not for it" },
      undefined,
    ],
    ["another agent", { tool: "write", arguments: write("a"), agent: "main", expect: "allow" }, undefined],
    ["a channel", { tool: "write", arguments: write("a"), channel: "telegram", expect: "ask" }, undefined],
    [
      "data from outside",
      { tool: "write", arguments: write("a"), trust: "untrusted", expect: "deny" },
      undefined,
    ],
  ])("judges %s", async ([, one, fault]) => {
    const config = `permissions:
  - { decision: deny, effect: write, agent: sub, reason: "not for it" }
  - { decision: ask, effect: write, channel: telegram }
  - { decision: deny, effect: write, trust: untrusted }
`;
    const [result] = await run([one], config);
    expect(result).toMatchObject({
      passed: fault === undefined,
      expected: one.expect,
      fault: fault === undefined ? undefined : expect.stringContaining(fault),
    });
  });

  test("changes nothing, whatever the calls would do", async () => {
    const place = new Installation();
    place.shareProject();
    place.write("project/a.txt", "as it was");
    const { app } = await place.open("permissions: [{ decision: allow }]");
    const tests: PolicyTest[] = [
      { tool: "write", arguments: write("a.txt"), expect: "allow" },
      { tool: "bash", arguments: { command: "echo gone > a.txt" }, expect: "allow" },
    ];
    expect((await runPolicyTests(app, tests, app.context)).map(({ passed }) => passed)).toEqual([true, true]);
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("as it was");
    expect(await (await app.store()).ledger.list()).toEqual([]);
  });

  test("finds that the guide's tests pass under the guide's rules", async () => {
    const guide = readFileSync("docs/guide/permissions.md", "utf8");
    const [rules = "", tests = ""] = Array.from(
      guide.matchAll(/```yaml\n([\s\S]*?)```/g),
      ([, text]) => text,
    );
    const { policyTests = [] } = await parseConfig(tests, "permissions.md", () => undefined);
    expect(policyTests.length).toBeGreaterThan(3);
    expect((await run(policyTests, rules)).map(({ fault }) => fault)).toEqual(
      policyTests.map(() => undefined),
    );
  });

  test("does not go by what a project allows before it is trusted", async () => {
    const place = new Installation();
    place.write(
      "project/haft.config.yml",
      'permissions: [{ decision: allow, tool: write, target: "/**" }]\n',
    );
    const one: PolicyTest = { tool: "write", arguments: write(join(place.root, "a")), expect: "allow" };
    const { app } = await place.open();
    const trusting = (await place.open("", { asTrusted: true })).app;
    expect(await runPolicyTests(app, [one], app.context)).toMatchObject([{ passed: false, decided: "ask" }]);
    expect(await runPolicyTests(trusting, [one], trusting.context)).toMatchObject([{ passed: true }]);
  });
});

describe("a policy to come", () => {
  const soon: Rule = { decision: "deny", tool: "write", target: "**/*.txt" };
  const where = async (app: Awaited<ReturnType<Installation["open"]>>["app"]) => ({
    ledger: (await app.store()).ledger,
    query: {},
    signal: never,
  });

  test("readShadowNotes() adds up what the gate noted, with the newest call as example", async () => {
    const place = new Installation();
    const installation = await place.open(`shadowPermissions: [${JSON.stringify(soon)}]`);
    for (const name of ["a.txt", "b.txt", "c.md"]) await installation.call("write", write(name));
    await installation.call("json_parse", { text: "1" });
    expect(await readShadowNotes(await where(installation.app))).toEqual({
      calls: 4,
      passedOver: 0,
      differences: [
        {
          tool: "write",
          now: "allow",
          instead: "deny",
          by: JSON.stringify(soon),
          count: 2,
          example: {
            callId: expect.stringMatching(/^c_/),
            paramsText: JSON.stringify(write("b.txt")),
            startedAt: expect.any(Number),
          },
        },
      ],
    });
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("x");
  });

  test("judgeRecordedCalls() says the same of past calls by a file, and passes over what is not kept whole", async () => {
    const place = new Installation();
    const installation = await place.open();
    for (const name of ["a.txt", "b.txt", "c.md"]) await installation.call("write", write(name));
    await installation.call("write", { path: "long.txt", content: "x".repeat(10_000) });
    await installation.call("no_such_tool", {});
    const file = await parseConfig(JSON.stringify({ permissions: [soon] }), "new.yml", () => undefined);
    const report = await judgeRecordedCalls(installation.app, file, await where(installation.app));
    expect(report).toMatchObject({
      calls: 5,
      passedOver: 2,
      differences: [{ tool: "write", now: "allow", instead: "deny", by: JSON.stringify(soon), count: 2 }],
    });
    expect(await (await installation.app.store()).ledger.list()).toHaveLength(5);
  });

  test("judgeRecordedCalls() judges by the file's mode too, and leaves the user's own rules in force", async () => {
    const place = new Installation();
    const installation = await place.open("permissions: [{ decision: deny, tool: json_parse }]");
    await installation.call("write", write("a"));
    await installation.call("json_parse", { text: "1" });
    const report = await judgeRecordedCalls(
      installation.app,
      { mode: "plan" },
      await where(installation.app),
    );
    expect(report.differences).toMatchObject([{ tool: "write", now: "allow", instead: "deny", count: 1 }]);
  });
});
