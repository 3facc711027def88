import { expect, test } from "vitest";
import { z } from "zod";
import { sampleCall, sampleOutcome } from "../../../test/fixtures/store/sample-call.ts";
import { settle } from "../../../test/support/test-executor.ts";
import { defineTool, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { openStore } from "../store/index.ts";
import { callHistory } from "./call-history.ts";

test("a call that was cancelled before it began is to be made; one that had begun keeps its outcome", async () => {
  await using store = await openStore({ path: ":memory:" });
  const registry = new ToolRegistry();
  let begun = 0;
  registry.register(
    defineTool({
      name: "send",
      description: "Send it.",
      parameters: z.strictObject({}),
      execute: (_, { signal }) => {
        begun++;
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    }),
  );
  const leave = new AbortController();
  const executor = new ToolExecutor(registry, {
    rules: [{ decision: "allow" }],
    ledger: store.ledger,
    maxConcurrent: 1,
  });
  const run = (callId: string) =>
    executor.run("send", {}, { callId, taskId: "t", keepOutcome: true, signal: leave.signal });
  const calls = [run("running"), run("waiting")];
  while (begun === 0) await settle();
  // Its start is being written as the run is left.
  const free = new ToolExecutor(registry, { rules: [{ decision: "allow" }], ledger: store.ledger });
  calls.push(free.run("send", {}, { callId: "recording", keepOutcome: true, signal: leave.signal }));
  leave.abort();
  expect((await Promise.all(calls)).map((result) => !result.success && result.code)).toEqual(
    Array(3).fill("TOOL_CANCELLED"),
  );
  expect(begun).toBe(1);
  const history = callHistory(store.ledger, registry, store.approvals);
  expect(await history.find("running")).toMatchObject({
    state: "ended",
    outcome: { failed: true, code: "TOOL_CANCELLED" },
  });
  expect(await history.find("waiting")).toBeUndefined();
  expect(await history.find("recording")).toBeUndefined();
});

test("callHistory() gives a kept outcome with its labels, and the worst of labels where it was not kept", async () => {
  await using store = await openStore({ path: ":memory:" });
  const { ledger } = store;
  const history = callHistory(ledger, new ToolRegistry(), store.approvals);
  const keep = { trust: "untrusted", private: false, hosts: ["site.example"] } as const;
  for (const [callId, outcome] of [
    ["r.1.1", { ...sampleOutcome(), keep }],
    ["r.1.2", sampleOutcome()],
  ] as const) {
    await ledger.start(sampleCall(callId));
    await ledger.end(sampleCall(callId), outcome);
  }
  expect(await history.find("r.1.1")).toMatchObject({ state: "ended", outcome: keep });
  expect(await history.find("r.1.2")).toMatchObject({
    state: "ended",
    outcome: { trust: "untrusted", private: true },
  });
});
