import { expect, test } from "vitest";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import { dataTools } from "../data/index.ts";
import { chainTools } from "./chain-tools.ts";

const { executor } = createTestExecutor([...chainTools(), ...dataTools()]);

test("run_chain feeds the result of one tool into the next, and gives what was asked for", async () => {
  const steps = [
    { id: "text", tool: "base64_decode", arguments: { encoded: "eyJhIjpbMSwyXX0=" } },
    { id: "json", tool: "json_parse", arguments: { text: { $from: "text/decoded" } } },
    { id: "again", tool: "json_stringify", arguments: { data: { $from: "json/data/a" } } },
  ];
  expect(await executor.execute("run_chain", { steps })).toMatchObject({ result: { text: "[1,2]" } });
  const result = { first: { $from: "json/data/a/0" }, all: [{ $from: "again/text" }] };
  expect(await executor.execute("run_chain", { steps, result })).toMatchObject({
    result: { first: 1, all: ["[1,2]"] },
  });
});

test.for([
  { steps: [], code: "TOOL_VALIDATION" },
  { steps: [{ id: "a", tool: "json_parse", arguments: { text: { $from: "b" } } }], code: "TOOL_INVALID" },
  { steps: [{ id: "a", tool: "no_such_tool" }], code: "TOOL_NOT_FOUND" },
  { steps: [{ id: "a", tool: "json_parse", arguments: {} }], code: "TOOL_VALIDATION" },
  { steps: [{ id: "a", tool: "json_parse", arguments: { text: "{" } }], code: "TOOL_STEP_FAILED" },
])("run_chain refuses $steps with $code", async ({ steps, code }) => {
  expect(await executor.execute("run_chain", { steps })).toMatchObject({ success: false, code });
});
