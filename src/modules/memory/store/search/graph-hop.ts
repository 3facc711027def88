import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What more entries speak of says nothing. */
const mostMentions = 50;

/** So many subjects of the first hits are followed. */
const mostNodes = 20;

/**
 * Entries that speak of what the first hits speak of, by row number, with how much: each hit gives its score to those
 * it shares something with, the more the fewer speak of it.
 */
export async function hop(
  db: Kysely<Tables>,
  scope: string,
  first: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const scores = new Map<number, number>();
  const spoken = await db
    .selectFrom("memory_entry")
    .innerJoin("graph_mention", "graph_mention.entry_id", "memory_entry.id")
    .innerJoin("graph_node", "graph_node.id", "graph_mention.node_id")
    .select(["memory_entry.seq", "graph_mention.node_id as node"])
    .distinct()
    .where("memory_entry.seq", "in", [...first.keys()])
    .where("graph_node.scope", "=", scope)
    .execute();
  const nodes = [...new Set(spoken.map(({ node }) => node))].slice(0, mostNodes);
  for (const node of nodes) {
    const others = await db
      .selectFrom("graph_mention")
      .innerJoin("memory_entry", "memory_entry.id", "graph_mention.entry_id")
      .select("memory_entry.seq")
      .distinct()
      .where("graph_mention.node_id", "=", node)
      .where("memory_entry.scope", "=", scope)
      .limit(mostMentions + 1)
      .execute();
    if (others.length > mostMentions) continue;
    const given = Math.max(
      ...spoken.filter((said) => said.node === node).map(({ seq }) => first.get(seq) ?? 0),
    );
    for (const { seq } of others) {
      if (!first.has(seq)) scores.set(seq, (scores.get(seq) ?? 0) + given / Math.log2(others.length + 2));
    }
  }
  return scores;
}
