import { expect, test } from "vitest";
import { Operator } from "../../src/server/index.ts";
import { Installation } from "../support/installation.ts";

test("an operator's dispatch leaves an agent less than its lists do, and no other name is an agent", async () => {
  const place = new Installation();
  place.write("project/agent/config.md", "---\nid: b\nblockedTools: ['*']\n---\nYou plan.\n");
  const { app } = await place.open("agents: { a: { allowedTools: ['json_*', sleep] } }");
  const operator = new Operator({
    ...app,
    ready: () => app.sources.ready(),
    hasAgent: (id) => app.agents.has(id),
  });
  const say = (message: object) => operator.answer(JSON.stringify(message), new AbortController().signal);
  const dispatch = (agentID: string, tools?: string[]) =>
    say({ type: "dispatch", agentID, context: { tools } });
  expect(await dispatch("b")).toMatchObject({ type: "dispatched", tools: [] });
  expect(await dispatch("a")).toMatchObject({ tools: ["json_parse", "json_stringify", "sleep"] });
  const narrow = await dispatch("a", ["json_parse", "bash"]);
  expect(narrow).toMatchObject({ tools: ["json_parse"] });
  const { sessionID } = narrow as { sessionID: string };
  const call = (name: string, input: object) => say({ type: "tool", sessionID, name, input });
  expect(await call("json_parse", { text: "1" })).not.toHaveProperty("error");
  expect(await call("bash", { command: "true" })).toMatchObject({
    cause: "TOOL_NOT_CALLABLE",
    error: expect.stringContaining('not among the allowedTools of the agent "a"'),
  });
  expect(await call("sleep", { seconds: 0 })).toMatchObject({
    error: expect.stringContaining("not among the allowedTools of the dispatch"),
  });
  expect(await dispatch("c")).toMatchObject({ code: "AGENT_NOT_FOUND" });
});
