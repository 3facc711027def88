import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";

test("a trace has the calls that a script made, as columns", async () => {
  const views = await ConsoleViews.open();
  const code = `await tools.listdir({ path: "." });`;
  const script = await views.app.executor.execute("run_script", { code }, views.app.context);
  const trace = await views.ask("GET /trace/:id", { segments: { id: script.callId } });
  expect(trace.id[0]).toBe(script.callId);
  expect(trace.name.map((place) => trace.words[place])).toEqual(["run_script", "listdir"]);
  expect(trace.parent).toEqual([-1, 0]);
  expect(trace.critical).toContain(0);
});

test("a trace of nothing is not found", async () => {
  const views = await ConsoleViews.open();
  await expect(views.ask("GET /trace/:id", { segments: { id: "c_none" } })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
  });
});
