import { expect, test } from "vitest";
import { callStates } from "../store/ledger-store.ts";
import {
  type Block,
  blockRows,
  columnNames,
  emptyColumn,
  enterRow,
  type IndexedRow,
  NameHashes,
} from "./call-block.ts";
import { PackedColumn, packColumn } from "./pack-column.ts";

const names = new NameHashes("key");
const started: IndexedRow = {
  seq: 7,
  hash: "",
  event: "started",
  start_seq: null,
  started_at: 1000,
  tool_name: "read",
  agent_id: null,
  client_name: null,
  session: "s_1",
  project: null,
  task_id: null,
  root_call_id: null,
  run_id: "r_1",
  scope: "local",
  outcome: null,
  code: null,
  duration_ms: null,
};
const later = { ...started, seq: 8, start_seq: 7, started_at: null };
const ended: IndexedRow = {
  ...later,
  event: "ended",
  outcome: "failed",
  code: "TOOL_FAILED",
  duration_ms: 5,
};
const unknown: IndexedRow = { ...later, event: "unknown" };

function enter(...rows: readonly IndexedRow[]): Block {
  const block = Object.fromEntries(columnNames.map((name) => [name, emptyColumn(name)])) as Block;
  for (const row of rows) enterRow(block, row, names);
  return block;
}

test.each([
  [[started], "started"],
  [[started, ended], "failed"],
  [[started, unknown], "unknown"],
  // A process that was believed gone has ended its call all the same.
  [[started, unknown, ended], "failed"],
  [[started, ended, unknown], "failed"],
  // Rows may be entered again.
  [[started, ended, started, ended], "failed"],
] as const)("the state of a call with the rows %# is that of the ledger", (rows, state) => {
  const block = enter(...rows);
  expect(callStates[(block.state[7] as number) - 1]).toBe(state);
  expect(block.tool[7]).toBe(names.find("read"));
  expect(block.agent[7]).toBe(0);
  expect(block.code[7]).toBe(state === "failed" ? names.find("TOOL_FAILED") : 0);
  expect(block.state.filter((one) => one !== 0)).toHaveLength(1);
});

test("names have other numbers in a file with another key", () => {
  expect(new NameHashes("other").find("read")).not.toBe(names.find("read"));
  expect(Number.isSafeInteger(names.find("read"))).toBe(true);
  expect(names.find(null)).toBe(0);
});

test.each([
  ["one number", () => 3],
  ["few numbers", (at: number) => (at % 7 === 0 ? Number.NaN : at % 5)],
  ["hundreds of numbers", (at: number) => at % 700],
  ["a number for each", (at: number) => at * 1.5],
])("a column of %s is the same once it was packed", (_, make) => {
  const column = Float64Array.from({ length: blockRows }, (__, at) => make(at));
  const packed = new PackedColumn(packColumn(column));
  expect(packed.unpack()).toEqual(column);
  const known = column.filter((value) => !Number.isNaN(value));
  expect(packed.range()).toEqual({ least: Math.min(...known), most: Math.max(...known) });
  expect(packed.mayHave(new Set([column[4000] as number, -1]))).toBe(true);
});

test("a packed column tells at a glance that it lacks a number", () => {
  const packed = new PackedColumn(packColumn(new Float64Array(blockRows).fill(3)));
  expect(packed.mayHave(new Set([4, 5]))).toBe(false);
});
