import type { Kysely } from "kysely";
import { type BlockKind, blockRows, toBlock, toHour } from "./block-index.ts";
import type { CallQuery } from "./ledger-store.ts";
import type { Tables } from "./tables.ts";

/** Rows of the ledger, both ends included; an end that is absent is open. */
export interface SeqRange {
  readonly from?: number;
  readonly to?: number;
}

const everything: readonly SeqRange[] = [{}];

/** Entries of the block index that calls of a query have. */
interface Condition {
  readonly kind: BlockKind;
  readonly value?: string;
  readonly atLeast?: string;
  readonly atMost?: string;
}

/**
 * The ranges that can hold first rows of a query's calls, in the order in which the query lists them. No other range
 * has any, since an entry of the block index is committed with its row. Rows in a range need not match.
 */
export async function findRanges(db: Kysely<Tables>, query: CallQuery): Promise<readonly SeqRange[]> {
  // Ids have an index of their own.
  if (query.callIds !== undefined) return everything;
  if (query.state === "started") return openRuns(db);
  const conditions = toConditions(query);
  const [head] = await db.selectFrom("ledger_head").select(["seq", "noted"]).execute();
  if (conditions.length === 0 || head === undefined || head.noted < head.seq) return everything;
  const [first, ...others] = conditions.map((condition) => selectBlocks(db, query, condition));
  const both = others.reduce((found, one) => found.intersect(one), first as NonNullable<typeof first>);
  const blocks = (await both.execute()).map(({ block }) => block);
  const isNewestFirst = query.after === undefined;
  return toRanges(blocks.sort((a, b) => (isNewestFirst ? b - a : a - b)));
}

/** An open call belongs to a program that has not ended: calls of others were recorded as unknown. */
async function openRuns(db: Kysely<Tables>): Promise<readonly SeqRange[]> {
  const oldest = await db.selectFrom("run").select("first_seq").orderBy("first_seq").executeTakeFirst();
  return oldest === undefined ? [] : [{ from: oldest.first_seq }];
}

function toConditions(query: CallQuery): readonly Condition[] {
  const { tool, client, taskId, session, agentId, rootCallId, state, since, until, project } = query;
  const values = { tool, client, task: taskId, session, agent: agentId, root: rootCallId, state } as const;
  const found: Condition[] = Object.entries(values).flatMap(([kind, value]) =>
    value === undefined ? [] : [{ kind: kind as BlockKind, value }],
  );
  if (since !== undefined || until !== undefined)
    found.push({
      kind: "hour",
      ...(since !== undefined && { atLeast: toHour(since) }),
      ...(until !== undefined && { atMost: toHour(until) }),
    });
  if (project !== undefined && found.every(({ kind }) => kind === "state"))
    found.push({ kind: "any", value: "" });
  return found;
}

function selectBlocks(db: Kysely<Tables>, { project, before, after }: CallQuery, condition: Condition) {
  const { kind, value, atLeast, atMost } = condition;
  let rows = db.selectFrom("ledger_block").select("block").distinct().where("kind", "=", kind);
  if (value !== undefined) rows = rows.where("value", "=", value);
  if (atLeast !== undefined) rows = rows.where("value", ">=", atLeast);
  if (atMost !== undefined) rows = rows.where("value", "<=", atMost);
  if (project !== undefined && kind !== "state") rows = rows.where("project", "=", project);
  if (before !== undefined) rows = rows.where("block", "<=", toBlock(before));
  if (after !== undefined) rows = rows.where("block", ">=", toBlock(after));
  return rows;
}

/** Blocks in a row are read as one. */
function toRanges(blocks: readonly number[]): readonly SeqRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const block of blocks) {
    const [from, to] = [block * blockRows, (block + 1) * blockRows - 1];
    const last = ranges.at(-1);
    if (last !== undefined && to + 1 === last.from) last.from = from;
    else if (last !== undefined && last.to + 1 === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}
