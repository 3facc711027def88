import { expect, test } from "vitest";
import { createTestExecutor, echo } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";

const writer = defineTool({
  ...echo,
  effects: ({ text }) => [{ kind: "write", target: text, within: true }],
});
const reader = defineTool({ ...echo, annotations: { readOnly: true } });

test("ToolExecutor.execute() gives nothing out of a call that only reads if the ledger can't record it, and runs no other", async () => {
  const ran: unknown[] = [];
  let isFull = true;
  const read = () => {
    ran.push("read");
    return "the content";
  };
  const { executor } = createTestExecutor([defineTool({ ...reader, execute: read })], {
    ledger: {
      start: async () => {
        if (isFull) throw new Error("the disk that holds it is full; free some space");
      },
      end: async () => {},
    },
  });
  const first = await executor.execute("echo", { text: "a" });
  expect(first).toMatchObject({
    code: "TOOL_UNRECORDED",
    error:
      'Cannot run "echo": the ledger could not record its start, so what it read is not given out; the disk that holds it is full; free some space',
  });
  expect(JSON.stringify(first)).not.toContain("the content");
  const second = await executor.execute("echo", { text: "a" });
  expect(second).toMatchObject({ code: "TOOL_UNRECORDED" });
  expect(second.text).toContain("nothing was done");
  expect(ran).toEqual(["read"]);
  isFull = false;
  expect(await executor.execute("echo", { text: "a" })).toMatchObject({ result: "the content" });
  expect(await executor.execute("echo", { text: "a" })).toMatchObject({ result: "the content" });
});

test("ToolExecutor.execute() waits for the record of a call that reads elsewhere: asking is an effect there", async () => {
  const ran: unknown[] = [];
  const fetcher = defineTool({
    ...reader,
    effects: () => [{ kind: "connect", target: "https://example.com", within: true }],
    execute: () => ran.push(1),
  });
  const { executor } = createTestExecutor([fetcher], {
    ledger: { start: () => Promise.reject(new Error("disk full")), end: async () => {} },
  });
  expect(await executor.execute("echo", { text: "a" })).toMatchObject({ code: "TOOL_UNRECORDED" });
  expect(ran).toEqual([]);
});

test("ToolExecutor.execute() runs what can't be recorded where the policy is best effort, and says so", async () => {
  const { executor } = createTestExecutor([writer, defineTool({ ...reader, name: "look" })], {
    ledgerPolicy: "best-effort",
    ledger: { start: () => Promise.reject(new Error("disk full")), end: async () => {} },
  });
  for (const name of ["echo", "look"])
    expect(await executor.execute(name, { text: "/f" })).toMatchObject({
      success: true,
      notes: ["ledger: this call could not be recorded"],
    });
});
