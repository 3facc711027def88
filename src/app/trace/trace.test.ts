import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { listInnerCalls, readTrace, type TraceSpan } from "./trace.ts";

const signal = new AbortController().signal;

function names(span: TraceSpan): unknown {
  return span.spans.length === 0 ? span.name : { [span.name]: span.spans.map(names) };
}

test("readTrace() shows a script with the calls that it made, from whichever of them one comes", async () => {
  const { app } = await new Installation().open("permissions: []");
  const { executor, context } = app;
  const code = `await tools.listdir({ path: "." }); await tools.run_chain({ steps: [{ id: "a", tool: "json_parse", arguments: { text: "{}" } }] });`;
  const [script] = await Promise.all([
    executor.execute("run_script", { code }, context),
    executor.execute("current_time", {}, context),
  ]);
  expect(script).toMatchObject({ success: true });
  const store = await app.store();
  const whole = await readTrace(store, { scope: "local", id: script.callId, signal });
  expect(whole && names(whole)).toEqual({ run_script: ["listdir", { run_chain: ["json_parse"] }] });
  const innermost = whole?.spans[1]?.spans[0];
  expect(innermost).toMatchObject({ kind: "call", state: "completed", about: '{"text":"{}"}' });
  expect(await readTrace(store, { scope: "local", id: innermost?.id ?? "", signal })).toEqual(whole);
  const outer = await store.ledger.show(script.callId);
  if (outer === undefined) throw new Error("the script is not recorded");
  const inner = await listInnerCalls(store.ledger, outer, signal);
  expect(inner.map(({ toolName }) => toolName)).toEqual(["listdir", "run_chain"]);
});

test("readTrace() knows nothing of an id that there is not", async () => {
  const { app } = await new Installation().open();
  expect(await readTrace(await app.store(), { scope: "local", id: "nothing", signal })).toBeUndefined();
});
