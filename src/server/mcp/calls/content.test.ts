import { expect, test } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import type { ContentBlock, ToolResult } from "../../../kernel/index.ts";
import { toCallResult } from "./content.ts";

function success(result: unknown, more: object = {}): ToolResult {
  return { success: true, result, text: JSON.stringify(result), ...settled, ...more };
}

function write(
  result: ToolResult,
  protocolVersion: string,
  hasOutputSchema = false,
): Record<string, unknown> {
  const { members, meta } = toCallResult(result, { protocolVersion, name: result.toolName, hasOutputSchema });
  return JSON.parse(`{${members},"_meta":{${meta}}}`) as Record<string, unknown>;
}

test.for([
  { protocolVersion: "2024-11-05", structured: undefined },
  { protocolVersion: "2025-03-26", structured: undefined },
  { protocolVersion: "2025-06-18", structured: { a: 1 } },
  { protocolVersion: "2026-07-28", structured: { a: 1 } },
])("toCallResult() gives $protocolVersion an object as $structured", ({ protocolVersion, structured }) => {
  expect(write(success({ a: 1 }), protocolVersion)["structuredContent"]).toEqual(structured);
});

test.for([
  { value: [1, 2], declared: false, structured: [1, 2] },
  { value: 7, declared: false, structured: undefined },
  { value: 7, declared: true, structured: 7 },
  { value: null, declared: true, structured: null },
  { value: "text", declared: false, structured: undefined },
  { value: "text", declared: true, structured: "text" },
])(
  "toCallResult() gives 2026-07-28 the value $value, declared: $declared, as data: $structured",
  ({ value, declared, structured }) => {
    expect(write(success(value), "2026-07-28", declared)["structuredContent"]).toEqual(structured);
  },
);

test("toCallResult() shows a result that is not in its declared form as an error, which clients do not throw away", () => {
  const cut = success("head … tail", {
    text: "head … tail",
    artifact: { id: "a_1", chars: 99_999 },
    notes: ["output: cut"],
  });
  expect(write(cut, "2025-11-25", true)).toEqual({
    isError: true,
    content: [{ type: "text", text: expect.stringMatching(/The call was done, .*\nhead … tail$/s) }],
    _meta: { "haft/call": { id: "c_1", notes: ["output: cut"], artifact: { id: "a_1", chars: 99_999 } } },
  });
  expect(write(cut, "2025-11-25")).not.toHaveProperty("isError");
});

test("toCallResult() keeps the code, the notes and what may still run of a failure in `_meta`", () => {
  const failure: ToolResult = {
    success: false,
    error: "too slow",
    code: "TOOL_TIMEOUT",
    text: "too slow [TOOL_TIMEOUT]",
    stillRunning: true,
    ...settled,
    notes: ['limit: 7 taken for "7"'],
  };
  expect(write(failure, "2026-07-28", true)).toEqual({
    isError: true,
    content: [{ type: "text", text: "too slow [TOOL_TIMEOUT]" }],
    _meta: {
      "haft/call": { id: "c_1", code: "TOOL_TIMEOUT", stillRunning: true, notes: ['limit: 7 taken for "7"'] },
    },
  });
});

test("toCallResult() marks what somebody outside could have written, a failure too", () => {
  const trust = "untrusted";
  const failure: ToolResult = {
    success: false,
    error: "no",
    code: "TOOL_FAILED",
    text: "no",
    ...settled,
    trust,
  };
  for (const result of [success("text", { trust }), failure]) {
    expect(write(result, "2025-11-25")["_meta"]).toMatchObject({ "haft/trust": "untrusted" });
  }
  expect(write(success("text"), "2025-11-25")["_meta"]).not.toHaveProperty("haft/trust");
});

test("toCallResult() tells older revisions in words of the blocks that they do not know", () => {
  const content: ContentBlock[] = [
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a", name: "a" },
  ];
  const result = success("text", { content });
  expect(write(result, "2024-11-05")["content"]).toEqual([
    { type: "text", text: "[audio: audio/wav, 4 characters of base64]" },
    { type: "text", text: "[resource: a file:///a]" },
  ]);
  expect(write(result, "2025-06-18")["content"]).toEqual(content);
});
