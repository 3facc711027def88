import { sql, type Transaction } from "kysely";
import { formatDay, systemZone, type Zone } from "../../../base/index.ts";
import type { ModelCallRow, Tables } from "./tables.ts";
import type { UsageKey, UsageQuery, UsageTotal } from "./usage.ts";

type Queries = Pick<Transaction<Tables>, "selectFrom">;

/** The column of each key; a day is found from when a call began. */
const columns = {
  model: "model",
  agent: "agent_id",
  purpose: "purpose",
  source: "source",
  run: "root_id",
  project: "project",
} as const satisfies Readonly<Record<Exclude<UsageKey, "day">, keyof ModelCallRow>>;

/** Days begin at quarters of an hour, in every zone of today. */
const quarterMs = 900_000;
const quarter = sql`started_at / ${sql.lit(quarterMs)}`;

const sums = {
  calls: sql<number>`count(*)`,
  failed: sql<number>`count(error)`,
  open: sql<number>`count(*) - count(ended_at)`,
  unpriced: sql<number>`count(case when priced = 'no' then 1 end)`,
  estimated: sql<number>`count(case when priced = 'estimated' then 1 end)`,
  inputTokens: sql<number>`sum(input_tokens)`,
  cacheReadTokens: sql<number>`sum(cache_read_tokens)`,
  cacheWriteTokens: sql<number>`sum(cache_write_tokens)`,
  outputTokens: sql<number>`sum(output_tokens)`,
  reasoningTokens: sql<number>`sum(reasoning_tokens)`,
  priced: sql<number>`count(cost_micros)`,
  costMicros: sql<number>`coalesce(sum(cost_micros), 0)`,
  ms: sql<number>`coalesce(sum(ended_at - started_at), 0)`,
} as const;

type SumName = keyof typeof sums;
type Sums = Readonly<Record<SumName, number>>;
const sumNames = Object.keys(sums) as readonly SumName[];
const zero = Object.fromEntries(sumNames.map((name) => [name, 0])) as Sums;

/** Adds up the calls that a query names, by its keys. */
export async function sumTotals(db: Queries, query: UsageQuery): Promise<readonly UsageTotal[]> {
  const { by = [], zone = systemZone } = query;
  const groups = new Map<string, { readonly keys: UsageTotal["keys"]; readonly sums: Sums }>();
  for (const row of await readGroups(db, query, by)) {
    const keys = readKeys(row, by, zone);
    const id = JSON.stringify(by.map((key) => keys[key]));
    groups.set(id, { keys, sums: addSums(groups.get(id)?.sums ?? zero, row) });
  }
  if (by.length === 0 && groups.size === 0) groups.set("", { keys: {}, sums: zero });
  return Array.from(groups.values(), ({ keys, sums: all }) => toTotal(keys, all)).sort(compareBy(by));
}

type GroupRow = Readonly<Record<string, string | number | null>>;

async function readGroups(
  db: Queries,
  query: UsageQuery,
  by: readonly UsageKey[],
): Promise<readonly GroupRow[]> {
  let rows = db
    .selectFrom("model_call")
    .select(sumNames.map((name) => sums[name].as(`sum_${name}`)))
    .where("scope", "=", query.scope);
  for (const key of by) {
    const value = sql<string | number | null>`${key === "day" ? quarter : sql.ref(columns[key])}`;
    rows = rows.select(value.as(`key_${key}`)).groupBy(value);
  }
  if (query.since !== undefined) rows = rows.where("started_at", ">=", query.since);
  if (query.until !== undefined) rows = rows.where("started_at", "<", query.until);
  if (query.model !== undefined) rows = rows.where("model", "=", query.model);
  if (query.agentId !== undefined) rows = rows.where("agent_id", "=", query.agentId);
  if (query.source !== undefined) rows = rows.where("source", "=", query.source);
  if (query.project !== undefined) rows = rows.where("project", "=", query.project);
  const { runId } = query;
  if (runId !== undefined)
    rows = rows.where((row) => row.or([row("root_id", "=", runId), row("run_id", "=", runId)]));
  return (await rows.execute()) as readonly GroupRow[];
}

function readKeys(row: GroupRow, by: readonly UsageKey[], zone: Zone): UsageTotal["keys"] {
  return Object.fromEntries(
    by.map((key) => {
      const value = row[`key_${key}`] ?? null;
      return [key, key === "day" ? formatDay(Number(value) * quarterMs, zone) : value];
    }),
  );
}

function addSums(to: Sums, row: GroupRow): Sums {
  return Object.fromEntries(
    sumNames.map((name) => [name, to[name] + Number(row[`sum_${name}`] ?? 0)]),
  ) as Sums;
}

function toTotal(keys: UsageTotal["keys"], { priced, costMicros, ...rest }: Sums): UsageTotal {
  return { keys, ...rest, costMicros: priced === 0 && rest.calls > 0 ? undefined : costMicros };
}

/** Calls without a value come last. */
function compareBy(by: readonly UsageKey[]): (one: UsageTotal, other: UsageTotal) => number {
  return (one, other) => {
    for (const key of by) {
      const [left, right] = [one.keys[key] ?? null, other.keys[key] ?? null];
      if (left === right) continue;
      if (left === null || right === null) return left === null ? 1 : -1;
      return left < right ? -1 : 1;
    }
    return 0;
  };
}
