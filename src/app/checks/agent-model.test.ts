import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { checkAgentModel } from "./agent.ts";

test.for([
  ["mian", "", 'agent.model: there is no model "mian"; did you mean "main"'],
  ["main", ", memoryModel: xyz", 'agent.memoryModel: there is no model "xyz"; there are main'],
] as const)("checkAgentModel() tells of agent.model %s%s", async ([model, rest, detail]) => {
  const { app } = await new Installation().open(`models:
  main: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: m }
agent: { model: ${model}${rest} }
`);
  expect(await checkAgentModel(app)).toMatchObject({ status: "warning", detail });
});

test("checkAgentModel() tells of agent.model where there are no models", async () => {
  const { app } = await new Installation().open("agent: { model: main }\n");
  expect(await checkAgentModel(app)).toMatchObject({
    status: "warning",
    detail: 'agent.model: there is no model "main", and no other',
  });
});
