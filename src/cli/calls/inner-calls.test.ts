import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { findMaker, innerCalls } from "./inner-calls.ts";

test("innerCalls() are those that a chain or script made, in their order, and no others", async () => {
  const place = new Installation();
  const { app } = await place.open("permissions: []");
  const { executor, context } = app;
  const code = `await tools.listdir({ path: "." }); await tools.json_parse({ text: "{}" });`;
  const [script] = await Promise.all([
    executor.execute("run_script", { code }, context),
    executor.execute("current_time", {}, context),
  ]);
  const { ledger } = await app.store();
  const outer = await ledger.show(script.callId);
  if (outer === undefined) throw new Error("the script is not written down");
  const inner = await innerCalls(ledger, outer);
  expect(inner.map(({ toolName }) => toolName)).toEqual(["listdir", "json_parse"]);
  expect(inner.map(findMaker)).toEqual(Array(2).fill({ callId: script.callId, toolName: "run_script" }));
  expect(findMaker(outer)).toBeUndefined();
});
