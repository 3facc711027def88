import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";
import { Installation } from "../../../../test/support/installation.ts";
import { OwnerPin } from "../../../app/index.ts";

const config = `# mine
permissions:
  # notes are safe
  - { tool: write, target: "**/notes.txt", decision: allow }
policyTests:
  - { tool: read, arguments: { path: notes.txt }, expect: allow }
`;

test("the rules in force are listed, and those of one's own as they are written", async () => {
  const views = await ConsoleViews.open(config);
  const policy = await views.ask("GET /policy");
  expect(policy).toMatchObject({ mode: "ask", tests: 1, own: { isPending: false } });
  expect(policy.own.text).toBe(
    '# notes are safe\n- { tool: write, target: "**/notes.txt", decision: allow }\n',
  );
  expect(policy.rules.find(({ source }) => source === "own file")).toMatchObject({
    rule: { tool: "write" },
    unused: false,
  });
  expect(await views.ask("POST /policy/test")).toMatchObject({ passed: true, results: [{ passed: true }] });
});

test("each rule says what it decided of the newest calls, and which call was the last", async () => {
  const views = await ConsoleViews.open(config);
  const run = (tool: string, params: object) => views.app.executor.run(tool, params, views.app.context);
  await run("write", { path: "notes.txt", content: "Buy milk." });
  await run("write", { path: "notes.txt", content: "Buy bread." });
  const { rules, looked } = await views.ask("GET /policy");
  expect(looked).toBe(2);
  const [{ callId: last } = { callId: "" }] = (await (await views.app.records()).listCalls({})).rows;
  const decided = rules.filter((rule) => rule.decided.calls > 0);
  expect(decided.map((rule) => rule.decided)).toEqual([
    { calls: 2, last: { callId: last, at: expect.any(Number) } },
  ]);
});

test("a call is explained as another caller would make it", async () => {
  const views = await ConsoleViews.open();
  const body = { tool: "bash", params: '{"command": "npm test"}', mode: "locked", agent: "scout" };
  expect(await views.ask("POST /policy/explain", { body })).toMatchObject({
    mode: "locked",
    agent: "scout",
    outcome: "deny",
  });
  await expect(views.ask("POST /policy/explain", { body: { ...body, mode: "free" } })).rejects.toMatchObject({
    code: "CONSOLE_INPUT",
  });
  await expect(
    views.ask("POST /policy/explain", { body: { tool: "no_tool", params: {} } }),
  ).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
});

test("rules are tried on the calls there were, then saved with their comments, and pend until the next start", async () => {
  const views = await ConsoleViews.open(config);
  await views.app.executor.run("write", { path: "notes.txt", content: "Buy milk." }, views.app.context);
  await views.app.executor.run("read", { path: "notes.txt" }, views.app.context);
  const { own } = await views.ask("GET /policy");
  const text = "# none of it\n- { tool: write, decision: deny }\n";
  const tried = await views.ask("POST /policy/try", { body: { text } });
  expect(tried).toMatchObject({ calls: 2, passedOver: 0 });
  expect(tried.differences).toMatchObject([{ now: "allow", instead: "deny", count: 1 }]);
  expect(await views.ask("POST /policy/try", { body: { text, last: 1 } })).toMatchObject({ calls: 1 });
  const saved = await views.ask("POST /policy/save", { body: { text, digest: own.digest } });
  expect(saved).toMatchObject({ text, isPending: true });
  const written = views.installation.home.read("config.yml");
  expect(written).toContain("# mine\npermissions:\n  # none of it\n");
  await expect(views.ask("POST /policy/save", { body: { text, digest: own.digest } })).rejects.toMatchObject({
    code: "CONSOLE_CHANGED",
  });
});

test("rules that can't be used are not written", async () => {
  const views = await ConsoleViews.open(config);
  const { own } = await views.ask("GET /policy");
  for (const text of ["- { tool: write, decision: perhaps }", "tool: write", "- {"])
    await expect(
      views.ask("POST /policy/save", { body: { text, digest: own.digest } }),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^CONFIG_/),
    });
  expect((await views.ask("GET /policy")).own.digest).toBe(own.digest);
});

test("rules are not saved without the owner's PIN, if one is set", async () => {
  const installation = new Installation();
  await new OwnerPin(installation.home).set("1234");
  const views = await ConsoleViews.open(config, {}, installation);
  const { own } = await views.ask("GET /policy");
  const body = { text: "", digest: own.digest };
  await expect(views.ask("POST /policy/save", { body })).rejects.toMatchObject({ code: "PIN_REQUIRED" });
  expect(await views.ask("POST /policy/save", { body: { ...body, pin: "1234" } })).toMatchObject({
    text: "",
  });
});

test("a grant is revoked once", async () => {
  const views = await ConsoleViews.open();
  expect(await views.ask("GET /grants")).toEqual([]);
  await expect(
    views.ask("POST /grants/:id/revoke", { segments: { id: "g_none" }, body: {} }),
  ).rejects.toMatchObject({ code: "CONSOLE_NOT_FOUND" });
});
