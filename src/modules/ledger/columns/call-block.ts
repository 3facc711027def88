import { hash as sha256 } from "node:crypto";
import { RecentMap } from "../../../base/index.ts";
import { callStates } from "../store/ledger-store.ts";
import type { LedgerRow } from "../store/tables.ts";

/** Rows of the ledger that one block covers. A call stands in a block at the place of its first row. */
export const blockRows = 4096;

/**
 * The columns of a block, which hold one number for each call. `state` is the place of the state in `callStates`, counted
 * from 1, and 0 for a row that is not the first of a call. The columns after `durationMs` hold {@link NameHashes}, and 0
 * for a call without such a value. `startedAt` and `durationMs` hold `NaN` for it.
 */
export const columnNames = [
  "state",
  "startedAt",
  "durationMs",
  "tool",
  "agent",
  "client",
  "session",
  "project",
  "task",
  "root",
  "run",
  "scope",
  "code",
] as const;

/** One of {@link columnNames}. */
export type ColumnName = (typeof columnNames)[number];

/** The columns of the table `ledger` that the index is computed from. None of them holds arguments or results. */
export type IndexedRow = Pick<
  LedgerRow,
  | "seq"
  | "hash"
  | "event"
  | "start_seq"
  | "started_at"
  | "tool_name"
  | "agent_id"
  | "client_name"
  | "session"
  | "project"
  | "task_id"
  | "root_call_id"
  | "run_id"
  | "scope"
  | "outcome"
  | "code"
  | "duration_ms"
>;

const rowColumns: readonly (keyof IndexedRow)[] = [
  "seq",
  "hash",
  "event",
  "start_seq",
  "started_at",
  "tool_name",
  "agent_id",
  "client_name",
  "session",
  "project",
  "task_id",
  "root_call_id",
  "run_id",
  "scope",
  "outcome",
  "code",
  "duration_ms",
];

/** Reads the rows after a `seq`, up to a limit. */
export const readRowsSql: string = `select ${rowColumns.map((name) => `"${name}"`).join(", ")} from "ledger" where "seq" > ? order by "seq" limit ?`;

/**
 * Keyed hashes of names, with 52 bits. Each file has its own secret key, so nobody can choose names that collide, and all
 * processes that fill the file compute the same numbers.
 */
export class NameHashes {
  readonly #key: string;
  readonly #known = new RecentMap<string, number>(20_000);

  constructor(key: string) {
    this.#key = key;
  }

  /** The hash of a name; 0 for null. */
  find(name: string | null): number {
    if (name === null) return 0;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const digest = sha256("sha256", `${this.#key}\0${name}`, "hex");
    const made = Number.parseInt(digest.slice(0, 13), 16) || 1;
    this.#known.set(name, made);
    return made;
  }
}

/** The columns of one block. */
export type Block = Readonly<Record<ColumnName, Float64Array>>;

export function emptyColumn(name: ColumnName): Float64Array {
  const column = new Float64Array(blockRows);
  return name === "startedAt" || name === "durationMs" ? column.fill(Number.NaN) : column;
}

/** The number of the block that holds a call. */
export function toBlockNumber(seq: number): number {
  return Math.floor(seq / blockRows);
}

const stateNumbers = new Map(callStates.map((state, at) => [state as string, at + 1]));

export function toStateNumber(state: string): number {
  return stateNumbers.get(state) ?? 0;
}

/**
 * Enters a row into the block of its call. Entering a row and all later ones a second time changes nothing.
 */
export function enterRow(block: Block, row: IndexedRow, names: NameHashes): void {
  const place = (row.start_seq ?? row.seq) % blockRows;
  if (row.start_seq === null) {
    block.startedAt[place] = row.started_at ?? Number.NaN;
    block.tool[place] = names.find(row.tool_name);
    block.agent[place] = names.find(row.agent_id);
    block.client[place] = names.find(row.client_name);
    block.session[place] = names.find(row.session);
    block.project[place] = names.find(row.project);
    block.task[place] = names.find(row.task_id);
    block.root[place] = names.find(row.root_call_id);
    block.run[place] = names.find(row.run_id);
    block.scope[place] = names.find(row.scope);
    block.state[place] = toStateNumber(row.outcome ?? row.event);
    block.code[place] = names.find(row.code);
    block.durationMs[place] = row.duration_ms ?? Number.NaN;
  } else if (row.event === "unknown") {
    // The process may be alive after all, and have recorded the end before this row.
    if (block.state[place] === toStateNumber("started")) block.state[place] = toStateNumber("unknown");
  } else if (row.event === "ended") {
    if (row.outcome !== null) block.state[place] = toStateNumber(row.outcome);
    if (row.code !== null) block.code[place] = names.find(row.code);
    if (row.duration_ms !== null) block.durationMs[place] = row.duration_ms;
  }
}
