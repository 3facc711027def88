import type { Statement, TypedDatabase } from "../../../db/index.ts";
import { ledgerColumns, type Tables } from "./tables.ts";

/** The rows of one block, which are read in about a millisecond. */
export const blockRows = 1024;

/** The block of a row. */
export function toBlock(seq: number): number {
  return Math.floor(seq / blockRows);
}

/** The indexed columns of a call's first row. A time is indexed by its hour, padded to a fixed number of digits. */
const noted = {
  tool: "tool_name",
  client: "client_name",
  task: "task_id",
  session: "session",
  agent: "agent_id",
  root: "root_call_id",
} as const;

/** Kinds of values by which a block is found. `state` belongs to the block of the call's first row, for no project. */
export type BlockKind = keyof typeof noted | "any" | "hour" | "state";

const hourMs = 3_600_000;

/** The hour of a time, as text that sorts as the time does. */
export function toHour(ms: number): string {
  return String(Math.max(0, Math.floor(ms / hourMs))).padStart(8, "0");
}

const findColumn = (column: (typeof ledgerColumns)[number]) => ledgerColumns.indexOf(column);
const columns = {
  startSeq: findColumn("start_seq"),
  startedAt: findColumn("started_at"),
  project: findColumn("project"),
  outcome: findColumn("outcome"),
  event: findColumn("event"),
};
const notedColumns = (Object.keys(noted) as (keyof typeof noted)[]).map((kind) => ({
  kind,
  at: findColumn(noted[kind]),
}));

const insertEntry =
  'insert or ignore into "ledger_block" ("kind", "value", "project", "block") values (?, ?, ?, ?)';

/** The same for all rows from one `seq` on and before another, read out of the ledger. */
export const fillSql: readonly string[] = [
  ...(
    [
      ["any", "''"],
      ["hour", `printf('%08d', max(0, "started_at" / ${hourMs}))`],
      ...Object.entries(noted),
    ] as const
  ).map(
    ([kind, value]) =>
      `insert or ignore into "ledger_block" ("kind", "value", "project", "block") select distinct '${kind}', ${value}, coalesce("project", ''), "seq" / ${blockRows} from "ledger" where "seq" >= ? and "seq" < ? and "start_seq" is null and ${value} is not null`,
  ),
  `insert or ignore into "ledger_block" ("kind", "value", "project", "block") select distinct 'state', coalesce("outcome", "event"), '', coalesce("start_seq", "seq") / ${blockRows} from "ledger" where "seq" >= ? and "seq" < ? and "event" in ('ended', 'unknown')`,
];

/** A row of the ledger with its place, and its values in the order of `ledgerColumns`. */
interface PlacedRow {
  readonly seq: number;
  readonly values: readonly (string | number | null)[];
}

/** The block in which each value of a kind was last noted. */
type Seen = Map<BlockKind, Map<string | number, number>>;

const mostSeen = 5000;

/**
 * Index of the blocks of the ledger in which a value occurs, so that a search for a rare or missing value does not read
 * the whole ledger. It is written in the transaction of the rows, and costs a few lookups per row: a value adds at most
 * one entry per block. An index of each column would cost as many entries as there are calls.
 */
export class BlockIndex {
  readonly #db: TypedDatabase<Tables>;
  readonly #seen = new Map<string, Seen>();
  #entries = 0;
  #isOpen = false;
  #insert: Statement | undefined;

  constructor(db: TypedDatabase<Tables>) {
    this.#db = db;
  }

  /** Adds rows, within the transaction that appends them. Call {@link settle} once it is committed. */
  note(rows: readonly PlacedRow[]): void {
    // Entries of a transaction that failed are not in the table.
    if (this.#isOpen || this.#entries > mostSeen) this.#forget();
    this.#isOpen = true;
    for (const row of rows) this.#noteRow(row);
  }

  settle(): void {
    this.#isOpen = false;
  }

  /** Adds rows that an older program without this index wrote meanwhile. */
  fill(from: number, before: number): void {
    for (const sql of fillSql) this.#db.prepare(sql).run(from, before);
  }

  #noteRow({ seq, values }: PlacedRow): void {
    const startSeq = values[columns.startSeq];
    const event = values[columns.event];
    if (event === "ended" || event === "unknown") {
      const state = values[columns.outcome] ?? event ?? "";
      this.#noteValue(this.#findSeen(""), "state", state, "", toBlock(Number(startSeq ?? seq)));
    }
    if (startSeq !== null) return;
    const block = toBlock(seq);
    const project = String(values[columns.project] ?? "");
    const seen = this.#findSeen(project);
    this.#noteValue(seen, "any", "", project, block);
    const startedAt = values[columns.startedAt];
    if (typeof startedAt === "number")
      this.#noteValue(seen, "hour", Math.floor(startedAt / hourMs), project, block);
    for (const { kind, at } of notedColumns) {
      const value = values[at];
      if (typeof value === "string") this.#noteValue(seen, kind, value, project, block);
    }
  }

  #noteValue(seen: Seen, kind: BlockKind, value: string | number, project: string, block: number): void {
    let ofKind = seen.get(kind);
    if (ofKind === undefined) {
      ofKind = new Map();
      seen.set(kind, ofKind);
    }
    if (ofKind.get(value) === block) return;
    this.#insert ??= this.#db.prepare(insertEntry);
    this.#insert.run(kind, typeof value === "number" ? toHour(value * hourMs) : value, project, block);
    this.#entries++;
    ofKind.set(value, block);
  }

  #findSeen(project: string): Seen {
    let seen = this.#seen.get(project);
    if (seen === undefined) {
      seen = new Map();
      this.#seen.set(project, seen);
    }
    return seen;
  }

  #forget(): void {
    this.#seen.clear();
    this.#entries = 0;
  }
}
