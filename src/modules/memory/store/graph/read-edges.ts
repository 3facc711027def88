import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../tables.ts";

import { holds, type When } from "./live.ts";
import type { EdgeSource, GraphEdge } from "./memory-graph.ts";

type Db = Kysely<Tables>;

/** An edge with what counts of its weight at a time. */
export interface WeighedEdge {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  readonly relation: string;
  readonly weight: number;
}

export interface EdgesOfNode {
  readonly edges: readonly WeighedEdge[];
  /** Whether it has more than were looked at. */
  readonly cut: boolean;
}

/** The most edges of one node in each direction: the heaviest of these are looked at. */
const mostEdges = 256;
/** Statements of one edge. */
const mostCounted = 100;
const mostSources = 8;

/** The edges of a node in both directions, the heaviest first. */
export async function readEdges(db: Db, nodeId: string, when: When): Promise<EdgesOfNode> {
  const out = await heaviest(db, sql`edge.source = ${nodeId}`, when);
  const back = await heaviest(db, sql`edge.target = ${nodeId} and edge.source <> edge.target`, when);
  return {
    edges: [...out, ...back].filter(({ weight }) => weight > 0).sort(byWeight),
    cut: out.length === mostEdges || back.length === mostEdges,
  };
}

/** The edges that lead from one set of nodes to another, in either direction, the heaviest first. */
export async function edgesBetween(
  db: Db,
  some: readonly string[],
  others: readonly string[],
  when: When,
): Promise<readonly WeighedEdge[]> {
  const there = await heaviest(
    db,
    sql`edge.source in (${list(some)}) and edge.target in (${list(others)})`,
    when,
  );
  const back =
    some === others
      ? []
      : await heaviest(db, sql`edge.source in (${list(others)}) and edge.target in (${list(some)})`, when);
  return [...there, ...back].filter(({ weight }) => weight > 0).sort(byWeight);
}

async function heaviest(db: Db, which: RawBuilder<unknown>, when: When): Promise<readonly WeighedEdge[]> {
  const { rows } = await sql<WeighedEdge>`
    select edge.id, edge.source, edge.target, edge.relation,
      (select count(*) from (
        select 1 from graph_statement as said join memory_entry as entry on entry.id = said.entry_id
        where said.edge_id = edge.id and ${holds(when)} limit ${mostCounted})) as weight
    from (select * from graph_edge as edge where ${which} order by edge.weight desc, edge.id limit ${mostEdges}) as edge
  `.execute(db);
  return rows;
}

/** The edge with who says it, and whether it is so now. */
export async function toGraphEdge(db: Db, edge: WeighedEdge, when: When, now: number): Promise<GraphEdge> {
  const { id, source, target, relation, weight } = edge;
  const said = db
    .selectFrom("graph_statement as said")
    .innerJoin("memory_entry as entry", "entry.id", "said.entry_id")
    .where("said.edge_id", "=", id);
  const rows = await said
    .select(["said.entry_id", "said.valid_from", "said.valid_to", "entry.trust"])
    .select(holds(typeof when === "number" ? when : now).as("current"))
    .where(holds(when))
    .orderBy("said.said_at", "desc")
    .orderBy("said.entry_id")
    .limit(mostCounted)
    .execute();
  return {
    source,
    target,
    relation,
    weight,
    sources: rows.slice(0, mostSources).map(
      (row): EdgeSource => ({
        entryId: row.entry_id,
        validFrom: row.valid_from ?? undefined,
        validTo: row.valid_to ?? undefined,
        trust: row.trust,
      }),
    ),
    current: rows.some(({ current }) => Boolean(current)),
    trust: rows.some(({ trust }) => trust === "trusted") ? "trusted" : "untrusted",
  };
}

function list(ids: readonly string[]): RawBuilder<unknown> {
  return sql.join(ids.map((id) => sql`${id}`));
}

function byWeight(one: WeighedEdge, other: WeighedEdge): number {
  return other.weight - one.weight || one.id - other.id;
}

/** How far a step along the edge leads, 0 to 1. */
export function computeStrength({ weight }: WeighedEdge): number {
  return weight / (weight + 1);
}
