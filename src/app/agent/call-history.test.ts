import { expect, test } from "vitest";
import { z } from "zod";
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
