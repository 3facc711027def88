import { expect, test } from "vitest";
import type { CallRecord } from "../../modules/ledger/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderCallList } from "./call-record.ts";

const call = {
  callId: "c_mwsh2xld_5bgvw0",
  toolName: "memory_recall",
  state: "completed",
  startedAt: Date.now(),
  durationMs: 12_345,
  client: { name: "claude-code", version: "2" },
  project: "/home/ada/projects/with-a-long-name/deeper",
  paramsText: '{"query":"something that is long"}',
  notes: [] as readonly string[],
} as CallRecord;

function render(width: number): readonly string[] {
  const terminal = { width, paint: (_: string, text: string) => text } as unknown as Terminal;
  const undo = new Map([[call.callId, "can"]]);
  return renderCallList([call], terminal, { folders: true, undo }).trimEnd().split("\n");
}

test.for([80, 100, 120, 160])("the calls of all folders fit into %i columns, a line each", (width) => {
  const lines = render(width);
  expect(lines).toHaveLength(2);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  for (const told of [call.callId, call.toolName, "completed", "deeper"]) expect(lines[1]).toContain(told);
});

test("where the output is no terminal, nothing is left out", () => {
  const line = render(Number.POSITIVE_INFINITY)[1];
  for (const told of ["12345", "can", "claude-code", call.project, call.paramsText])
    expect(line).toContain(told);
});
