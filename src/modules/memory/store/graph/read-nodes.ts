import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

import type { GraphNode, Mention, NamedEntity } from "./memory-graph.ts";

type Db = Kysely<Tables>;

/** Mentions of one node that are looked at: its count goes as far, and its other names are those of these. */
const mostMentions = 100;
/** Those of deleted entries are passed over, as far as this. */
const mostRead = 500;
const mostAliases = 10;

/** Undefined where no entry speaks of it any more. */
export async function readNode(db: Db, scope: string, id: string): Promise<GraphNode | undefined> {
  const node = await db
    .selectFrom("graph_node")
    .select(["id", "name", "folded", "type"])
    .where("id", "=", id)
    .where("scope", "=", scope)
    .executeTakeFirst();
  if (node === undefined) return undefined;
  const newest = db
    .selectFrom("graph_mention")
    .select(["folded", "name", "entry_id", "said_at"])
    .where("node_id", "=", id)
    .orderBy("said_at", "desc")
    .orderBy("entry_id")
    .limit(mostRead);
  const mentions = await db
    .selectFrom(newest.as("said"))
    .innerJoin("memory_entry as entry", "entry.id", "said.entry_id")
    .select(["said.folded", "said.name", "said.entry_id", "entry.trust"])
    .where("entry.deleted_at", "is", null)
    .orderBy("said.said_at", "desc")
    .orderBy("said.entry_id")
    .orderBy("said.folded")
    .limit(mostMentions)
    .execute();
  const trusted = mentions.filter(({ trust }) => trust === "trusted");
  const spoken = trusted.length > 0 ? trusted : mentions;
  const [first] = spoken;
  if (first === undefined) return undefined;
  const main = spoken.find(({ folded }) => folded === node.folded) ?? first;
  const aliases = new Map(spoken.map(({ folded, name }) => [folded, name]));
  aliases.delete(main.folded);
  return {
    id,
    name: main.name,
    type: node.type,
    aliases: [...aliases.values()].slice(0, mostAliases),
    mentions: new Set(mentions.map((mention) => mention.entry_id)).size,
    trust: trusted.length > 0 ? "trusted" : "untrusted",
  };
}

export async function readNodes(
  db: Db,
  scope: string,
  ids: Iterable<string>,
): Promise<Map<string, GraphNode>> {
  const nodes = new Map<string, GraphNode>();
  for (const id of ids) {
    const node = await readNode(db, scope, id);
    if (node !== undefined) nodes.set(id, node);
  }
  return nodes;
}

/** Entries that one query asks for. */
const mostAsked = 500;

export async function readEntities(
  db: Db,
  scope: string,
  entryIds: readonly string[],
): Promise<readonly NamedEntity[]> {
  const rows = await db
    .selectFrom("graph_mention as mention")
    .innerJoin("graph_node as node", "node.id", "mention.node_id")
    .innerJoin("memory_entry as entry", "entry.id", "mention.entry_id")
    .select(["mention.entry_id as entryId", "node.id as nodeId", "mention.name", "node.type"])
    .where("mention.entry_id", "in", entryIds.slice(0, mostAsked))
    .where("node.scope", "=", scope)
    .where("entry.deleted_at", "is", null)
    .orderBy("mention.entry_id")
    .orderBy("mention.folded")
    .execute();
  return rows;
}

export async function readMentions(
  db: Db,
  scope: string,
  nodeIds: readonly string[],
  limit: number,
): Promise<readonly Mention[]> {
  const mentions: Mention[] = [];
  for (const nodeId of new Set(nodeIds.slice(0, mostAsked))) {
    const newest = db
      .selectFrom("graph_mention as mention")
      .innerJoin("graph_node as node", "node.id", "mention.node_id")
      .select(["mention.entry_id", "mention.said_at"])
      .distinct()
      .where("mention.node_id", "=", nodeId)
      .where("node.scope", "=", scope)
      .orderBy("mention.said_at", "desc")
      .orderBy("mention.entry_id")
      .limit(mostRead);
    const rows = await db
      .selectFrom(newest.as("said"))
      .innerJoin("memory_entry as entry", "entry.id", "said.entry_id")
      .select("said.entry_id as entryId")
      .where("entry.deleted_at", "is", null)
      .orderBy("said.said_at", "desc")
      .orderBy("said.entry_id")
      .limit(limit)
      .execute();
    mentions.push(...rows.map(({ entryId }) => ({ entryId, nodeId })));
  }
  return mentions;
}
