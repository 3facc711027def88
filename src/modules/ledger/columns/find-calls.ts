import { setImmediate } from "node:timers/promises";
import type { TypedDatabase } from "../../../db/index.ts";
import { giveWay } from "../../../host/index.ts";
import { storedName } from "../store/ledger-row.ts";
import type { CallQuery, CallState } from "../store/ledger-store.ts";
import type { Tables } from "../store/tables.ts";
import { blockRows, type ColumnName, toBlockNumber, toStateNumber } from "./call-block.ts";
import type { CallColumns } from "./call-columns.ts";
import type { PackedColumn } from "./pack-column.ts";

/** Filters for recorded calls. A call has to fit all that are given. */
export interface RecordedCallQuery extends Omit<CallQuery, "state" | "tool"> {
  /** @default all */
  readonly states?: readonly CallState[];
  /** @default all */
  readonly tools?: readonly string[];
  /** Error codes. @default all */
  readonly codes?: readonly string[];
  /** The shortest duration, in ms. */
  readonly minMs?: number;
}

/** What {@link findCalls} reads. */
export interface CallSources {
  readonly ledger: TypedDatabase<Tables>;
  readonly columns: CallColumns;
}

/** Blocks that are filtered before the signal is checked and other requests run. */
const blocksPerTurn = 16;
/** Blocks that are filtered before the thread gives way to others. */
const blocksPerSleep = 4;
/** Calls whose texts are read before the signal is checked, and other threads and requests run. */
const textsPerTurn = 50;

const withTextSql = `select "first"."seq" as "seq" from "ledger" as "first" left join "ledger" as "ended" on "ended"."call_id" = "first"."call_id" and "ended"."start_seq" = "first"."seq" and "ended"."event" = 'ended' where "first"."seq" in (select "value" from json_each(?1)) and (replace(lower("first"."params_text"), lower(?2), '') <> lower("first"."params_text") or replace(lower(coalesce("ended"."summary", "first"."summary")), lower(?2), '') <> lower(coalesce("ended"."summary", "first"."summary")))`;

/**
 * Finds the calls that fit a query and gives the `seq` of the first row of each, block by block in the query's order. The
 * limit of the query is ignored. The columns must be filled before, and signed if the query has a text.
 */
export async function* findCalls(
  { ledger, columns }: CallSources,
  query: RecordedCallQuery,
  signal?: AbortSignal,
): AsyncGenerator<readonly number[], void, void> {
  const tests = toTests(ledger, columns, query);
  const wanted = query.callIds === undefined ? undefined : findFirstRows(ledger, query.callIds);
  const { text = "", before = Number.POSITIVE_INFINITY, after = -1 } = query;
  let blocks = 0;
  for (const block of listBlocks(query, columns.blocks, wanted)) {
    if (++blocks % blocksPerSleep === 0) giveWay();
    if (blocks % blocksPerTurn === 0) await setImmediate();
    signal?.throwIfAborted();
    const first = block * blockRows;
    const columnTests = openColumns(columns, block, tests);
    if (columnTests === undefined) continue;
    let seqs: number[] = [];
    const states = columns.column(block, "state");
    for (let place = 0; place < blockRows; place++) {
      const seq = first + place;
      if (states[place] !== 0 && seq < before && seq > after && wanted?.has(seq) !== false) seqs.push(seq);
    }
    for (const { unpack, fits } of columnTests) {
      if (seqs.length === 0) break;
      const column = unpack();
      seqs = seqs.filter((seq) => fits(column[seq - first] as number, seq));
    }
    if (text !== "" && seqs.length > 0) {
      const mayHave = columns.findByText(block, text);
      if (mayHave !== undefined) seqs = seqs.filter(mayHave);
    }
    if (query.after === undefined) seqs.reverse();
    if (text === "") yield seqs;
    else yield* withText(ledger, seqs, text, signal);
  }
}

/** Keeps the calls whose arguments or result contain the text. */
async function* withText(
  ledger: TypedDatabase<Tables>,
  seqs: readonly number[],
  text: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly number[], void, void> {
  for (let at = 0; at < seqs.length; at += textsPerTurn) {
    signal?.throwIfAborted();
    const some = seqs.slice(at, at + textsPerTurn);
    const rows = ledger.prepare(withTextSql).all(JSON.stringify(some), text) as { readonly seq: number }[];
    const found = new Set(rows.map(({ seq }) => seq));
    yield some.filter((seq) => found.has(seq));
    giveWay();
    await setImmediate();
  }
}

interface ColumnTest {
  readonly name: ColumnName;
  readonly fits: (value: number, seq: number) => boolean;
  /** A quick test of a packed column: false if no call of its block can fit. @default true */
  readonly mayFit?: (column: PackedColumn) => boolean;
}

interface OpenColumn extends Pick<ColumnTest, "fits"> {
  readonly unpack: () => Float64Array;
}

/** The columns of a block that are tested; undefined if no call of the block can fit. */
function openColumns(
  columns: CallColumns,
  block: number,
  tests: readonly ColumnTest[],
): readonly OpenColumn[] | undefined {
  const open: OpenColumn[] = [];
  for (const { name, fits, mayFit } of tests) {
    const packed = columns.packed(block, name);
    if (packed !== undefined && mayFit?.(packed) === false) return undefined;
    open.push({ fits, unpack: () => packed?.unpack() ?? columns.column(block, name) });
  }
  return open;
}

function toTests(
  ledger: TypedDatabase<Tables>,
  columns: CallColumns,
  query: RecordedCallQuery,
): readonly ColumnTest[] {
  const { states, since, until, minMs, scope, rootCallId } = query;
  const named = {
    tool: query.tools,
    code: query.codes,
    session: toList(query.session),
    task: toList(query.taskId),
    root: toList(rootCallId === undefined ? undefined : storedName(rootCallId)),
    run: toList(query.runId),
    agent: toList(query.agentId),
    client: toList(query.client),
    project: toList(query.project),
  } satisfies Partial<Record<ColumnName, readonly string[] | undefined>>;
  const tests: ColumnTest[] = [];
  if (states !== undefined) tests.push({ name: "state", ...isOneOf(states.map(toStateNumber)) });
  for (const [name, values] of Object.entries(named))
    if (values !== undefined)
      tests.push({
        name: name as keyof typeof named,
        ...isOneOf(values.map((value) => columns.names.find(value))),
      });
  if (since !== undefined) tests.push({ name: "startedAt", ...isAtLeast(since) });
  if (until !== undefined)
    tests.push({
      name: "startedAt",
      fits: (at) => at < until,
      mayFit: (column) => column.range().least < until,
    });
  if (minMs !== undefined) tests.push({ name: "durationMs", ...isAtLeast(minMs) });
  if (scope !== undefined) tests.push({ name: "scope", fits: isWithin(ledger, scope) });
  return tests;
}

function toList(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : [value];
}

function isOneOf(numbers: readonly number[]): Omit<ColumnTest, "name"> {
  const wanted = new Set(numbers);
  const [only] = numbers;
  return {
    fits: wanted.size === 1 ? (value) => value === only : (value) => wanted.has(value),
    mayFit: (column) => column.mayHave(wanted),
  };
}

function isAtLeast(bound: number): Omit<ColumnTest, "name"> {
  return { fits: (value) => value >= bound, mayFit: (column) => column.range().most >= bound };
}

/** Looks each scope up in the ledger once, since its hash does not tell which scopes are above it. */
function isWithin(ledger: TypedDatabase<Tables>, scope: string): ColumnTest["fits"] {
  const known = new Map<number, boolean>();
  const below = `${scope}/`;
  return (value, seq) => {
    let fits = known.get(value);
    if (fits === undefined) {
      const row = ledger.prepare('select "scope" from "ledger" where "seq" = ?').get(seq) as
        | { readonly scope: string }
        | undefined;
      fits = row !== undefined && (row.scope === scope || row.scope.startsWith(below));
      known.set(value, fits);
    }
    return fits;
  };
}

function findFirstRows(ledger: TypedDatabase<Tables>, callIds: readonly string[]): ReadonlySet<number> {
  const statement = ledger.prepare(
    'select "seq" from "ledger" where "call_id" in (select "value" from json_each(?)) and "start_seq" is null',
  );
  const rows = statement.all(JSON.stringify(callIds.map(storedName))) as { readonly seq: number }[];
  return new Set(rows.map(({ seq }) => seq));
}

/** The numbers of the blocks that may hold calls of a query, in the query's order. */
function* listBlocks(
  { before, after }: RecordedCallQuery,
  count: number,
  wanted: ReadonlySet<number> | undefined,
): Generator<number, void, void> {
  const last = Math.min(count - 1, before === undefined ? count : toBlockNumber(before));
  const first = Math.max(0, after === undefined ? 0 : toBlockNumber(after));
  const among = wanted && new Set([...wanted].map(toBlockNumber));
  const isNewestFirst = after === undefined;
  for (let at = 0; at <= last - first; at++) {
    const block = isNewestFirst ? last - at : first + at;
    if (among?.has(block) !== false) yield block;
  }
}
