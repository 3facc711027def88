import { expect, test } from "vitest";
import { parse } from "yaml";
import { writeTest } from "../../console/src/pages/calls/write-forms.ts";
import { type PolicyTest, runPolicyTests } from "../../src/app/index.ts";
import { agreeing, Installation } from "../support/installation.ts";

/** An installation whose owner has rules, and a call of it as the ledger has it. */
async function openPlace() {
  const place = await new Installation().open(
    `permissions:\n  - { decision: deny, tool: write, arguments: { path: "x: y.txt" }, reason: "no, never" }\n`,
  );
  const record = async (...call: Parameters<typeof place.call>) => {
    const { callId } = await place.call(...call);
    const { ledger } = await place.app.store();
    const found = await ledger.show(callId);
    if (found === undefined) throw new Error("it was not recorded");
    return found;
  };
  return { place, record };
}

test("a call as a policy test passes under the rules that decided it, and says what they decided", async () => {
  const { place, record } = await openPlace();
  const approver = agreeing();
  const calls = [
    await record("read", { path: "gone.txt" }),
    await record("write", { path: "x: y.txt", content: "# {no} comment\n" }),
    await record("write", { path: "../outside.txt", content: "" }, { approver, agentId: "main" }),
    await record("write", { path: "b.txt", content: "" }, { mode: "locked", origin: { channel: "mcp" } }),
    await record("write", { path: "../c.txt", content: "" }, { mode: "locked" }),
  ];
  const tests = calls.map((call): PolicyTest => parse(writeTest(call) ?? "").policyTests[0]);
  expect(tests.map(({ expect: decision }) => decision)).toEqual(["allow", "deny", "ask", "allow", "deny"]);
  expect(tests[1]).toMatchObject({ by: "no, never" });
  expect(approver.asked).toHaveLength(1);
  const results = await runPolicyTests(place.app, tests, place.app.context);
  expect(results.map(({ fault }) => fault)).toEqual(calls.map(() => undefined));
});

test("a call whose arguments are not whole, or that nobody decided, makes no policy test", async () => {
  const { record } = await openPlace();
  const call = await record("read", { path: "gone.txt" });
  expect(writeTest({ ...call, paramsText: "cut off {" })).toBeUndefined();
  expect(writeTest({ ...call, paramsText: '{"key":"[secret]"}' })).toBeUndefined();
  expect(writeTest({ ...call, erased: true })).toBeUndefined();
  expect(writeTest({ ...call, decision: undefined })).toBeUndefined();
  expect(writeTest({ ...call, decision: { decision: "allow", by: "plan:c_1" } })).toBeUndefined();
});
