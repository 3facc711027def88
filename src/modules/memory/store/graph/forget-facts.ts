import type { Transaction } from "kysely";
import type { Tables } from "../tables.ts";

/** Takes away for good what these entries said in their scope, and every name that no other entry says. */
export async function forgetFacts(
  tx: Transaction<Tables>,
  scope: string,
  entryIds: readonly string[],
): Promise<void> {
  for (const entryId of new Set(entryIds)) {
    await forgetEdges(tx, scope, entryId);
    await forgetMentions(tx, scope, entryId);
  }
}

async function forgetEdges(tx: Transaction<Tables>, scope: string, entryId: string): Promise<void> {
  const said = await tx
    .selectFrom("graph_statement as said")
    .innerJoin("graph_edge as edge", "edge.id", "said.edge_id")
    .innerJoin("graph_node as source", "source.id", "edge.source")
    .select(["edge.id", "edge.weight"])
    .where("said.entry_id", "=", entryId)
    .where("source.scope", "=", scope)
    .execute();
  for (const { id, weight } of said) {
    const statement = tx.deleteFrom("graph_statement").where("edge_id", "=", id);
    await statement.where("entry_id", "=", entryId).execute();
    if (weight > 1) {
      await tx
        .updateTable("graph_edge")
        .set({ weight: weight - 1 })
        .where("id", "=", id)
        .execute();
    } else await tx.deleteFrom("graph_edge").where("id", "=", id).execute();
  }
}

async function forgetMentions(tx: Transaction<Tables>, scope: string, entryId: string): Promise<void> {
  const said = await tx
    .selectFrom("graph_mention as mention")
    .innerJoin("graph_node as node", "node.id", "mention.node_id")
    .select(["node.id", "node.type", "node.folded as main", "mention.folded"])
    .where("mention.entry_id", "=", entryId)
    .where("node.scope", "=", scope)
    .execute();
  for (const { id, folded } of said) {
    await tx
      .deleteFrom("graph_mention")
      .where("node_id", "=", id)
      .where("folded", "=", folded)
      .where("entry_id", "=", entryId)
      .execute();
    if (await isSaid(tx, id, folded)) continue;
    await tx.deleteFrom("graph_name").where("node_id", "=", id).where("folded", "=", folded).execute();
  }
  const nodes = new Map(said.map(({ id, type, main }) => [id, { id, scope, type, main }]));
  for (const node of nodes.values()) if (!(await isSaid(tx, node.id, node.main))) await nameAnew(tx, node);
}

async function isSaid(tx: Transaction<Tables>, nodeId: string, folded: string): Promise<boolean> {
  const mention = tx.selectFrom("graph_mention").select("entry_id").where("node_id", "=", nodeId);
  return (await mention.where("folded", "=", folded).limit(1).executeTakeFirst()) !== undefined;
}

interface Nameless {
  readonly id: string;
  readonly scope: string;
  readonly type: string;
}

/** A node whose name nobody says any more goes by another that it has, or goes. */
async function nameAnew(tx: Transaction<Tables>, { id, scope, type }: Nameless): Promise<void> {
  const other = await tx
    .selectFrom("graph_mention")
    .select(["folded", "name"])
    .where("node_id", "=", id)
    .orderBy("said_at", "desc")
    .orderBy("folded")
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) {
    await tx.deleteFrom("graph_node").where("id", "=", id).execute();
    return;
  }
  const { folded, name } = other;
  const namesake = await tx
    .selectFrom("graph_node")
    .select("id")
    .where("scope", "=", scope)
    .where("folded", "=", folded)
    .where("type", "=", type)
    .executeTakeFirst();
  // Two nodes with that name are two: the later one is found by it as by an alias.
  const unique = namesake === undefined ? folded : `${folded} ${id}`;
  await tx.updateTable("graph_node").set({ folded: unique, name }).where("id", "=", id).execute();
}
