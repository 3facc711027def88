import type { Transaction } from "kysely";
import { randomId } from "../../../../db/index.ts";
import type { Trust } from "../../../../kernel/index.ts";
import { MemoryError } from "../errors.ts";
import type { Tables } from "../tables.ts";
import type { CheckedFacts, CheckedName, CheckedNode } from "./checked-facts.ts";
import { entityTypes } from "./memory-graph.ts";
import { backwards, wordsOfName } from "./names.ts";

/** Writes what entries say into the graph, in one transaction. */
export async function addFacts(
  tx: Transaction<Tables>,
  scope: string,
  facts: readonly CheckedFacts[],
  now: number,
): Promise<void> {
  for (const { entryId, nodes, edges } of facts) {
    const entry = await tx
      .selectFrom("memory_entry")
      .select("trust")
      .where("id", "=", entryId)
      .where("scope", "=", scope)
      .executeTakeFirst();
    if (entry === undefined) throw unknownEntry(entryId);
    const writer = new FactWriter(tx, { scope, entryId, trust: entry.trust, now });
    for (const node of nodes) await writer.node(node);
    for (const { source, relation, target, validFrom, validTo } of edges) {
      const ends = { source: await writer.node(source), target: await writer.node(target) };
      await writer.edge(ends, relation, { valid_from: validFrom ?? null, valid_to: validTo ?? null });
    }
  }
}

interface Speaker {
  readonly scope: string;
  readonly entryId: string;
  readonly trust: Trust;
  readonly now: number;
}

interface Candidate {
  readonly id: string;
  readonly folded: string;
  readonly type: string;
}

/** The most nodes of one name, in one scope. */
const mostNamesakes = 50;

/** Writes what one entry says. */
class FactWriter {
  readonly #tx: Transaction<Tables>;
  readonly #by: Speaker;
  /** What this entry calls by a name, folded. */
  readonly #said = new Map<string, Candidate[]>();

  constructor(tx: Transaction<Tables>, by: Speaker) {
    this.#tx = tx;
    this.#by = by;
  }

  /** The id of the node that is meant: one that is there, or a new one. */
  async node(node: CheckedNode): Promise<string> {
    const type = this.#findType(node);
    const meant = (await this.#choose(node.folded, type)) ?? (await this.#create(node, type ?? "entity"));
    for (const name of [node, ...node.aliases]) {
      await this.#mention(meant.id, name);
      this.#remember(name.folded, meant);
    }
    return meant.id;
  }

  async edge(
    ends: { readonly source: string; readonly target: string },
    relation: string,
    validity: { readonly valid_from: number | null; readonly valid_to: number | null },
  ): Promise<void> {
    await this.#tx
      .insertInto("graph_edge")
      .values({ ...ends, relation, weight: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { id } = await this.#tx
      .selectFrom("graph_edge")
      .select("id")
      .where("source", "=", ends.source)
      .where("target", "=", ends.target)
      .where("relation", "=", relation)
      .executeTakeFirstOrThrow();
    const statement = { edge_id: id, entry_id: this.#by.entryId, ...validity, said_at: this.#by.now };
    const { numInsertedOrUpdatedRows: added } = await this.#tx
      .insertInto("graph_statement")
      .values(statement)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (added === 1n) {
      const more = this.#tx.updateTable("graph_edge").set((edge) => ({ weight: edge("weight", "+", 1) }));
      await more.where("id", "=", id).execute();
    } else {
      const again = this.#tx.updateTable("graph_statement").set(validity).where("edge_id", "=", id);
      await again.where("entry_id", "=", this.#by.entryId).execute();
    }
  }

  /** Words of one's own for a type are not taken from outside: they would be shown as if they were ours. */
  #findType({ type }: CheckedNode): string | undefined {
    const known = type !== undefined && (entityTypes as readonly string[]).includes(type);
    return this.#by.trust === "trusted" || known ? type : undefined;
  }

  /** Chooses among nodes with the name: the one of that type, or one whose type was not said yet. */
  async #choose(folded: string, type: string | undefined): Promise<Candidate | undefined> {
    const said = this.#said.get(folded) ?? [];
    if (type === undefined && said.length > 0) return said[0];
    const candidates = [...said, ...(await this.#known(folded))];
    if (type === undefined) return candidates[0];
    const same = candidates.find((candidate) => candidate.type === type);
    if (same !== undefined) return same;
    const untyped = candidates.find((candidate) => candidate.type === "entity");
    if (untyped === undefined || this.#by.trust !== "trusted") return untyped;
    if (await this.#isTaken(untyped, type)) return undefined;
    await this.#tx.updateTable("graph_node").set({ type }).where("id", "=", untyped.id).execute();
    return { ...untyped, type };
  }

  async #isTaken({ folded }: Candidate, type: string): Promise<boolean> {
    const other = await this.#tx
      .selectFrom("graph_node")
      .select("id")
      .where("scope", "=", this.#by.scope)
      .where("folded", "=", folded)
      .where("type", "=", type)
      .executeTakeFirst();
    return other !== undefined;
  }

  /**
   * Those with the name, then those with the alias; the one that was spoken of last first. What someone outside says to
   * be an alias of a node does not lead there what a trusted entry says.
   */
  async #known(folded: string): Promise<Candidate[]> {
    const { scope, trust } = this.#by;
    const rows = await this.#tx
      .selectFrom("graph_name as called")
      .innerJoin("graph_node as node", "node.id", "called.node_id")
      .select(["node.id", "node.folded", "node.type"])
      .select((node) =>
        node
          .selectFrom("graph_mention as last")
          .select((mention) => mention.fn.max("last.said_at").as("at"))
          .whereRef("last.node_id", "=", "node.id")
          .as("spoken_at"),
      )
      .where("called.scope", "=", scope)
      .where("called.word", "=", folded)
      .where("called.folded", "=", folded)
      .where((name) =>
        name.or([
          name("node.folded", "=", folded),
          name.exists(
            name
              .selectFrom("graph_mention as mention")
              .innerJoin("memory_entry as entry", "entry.id", "mention.entry_id")
              .select("mention.entry_id")
              .whereRef("mention.node_id", "=", "called.node_id")
              .where("mention.folded", "=", folded)
              .where("entry.deleted_at", "is", null)
              .$if(trust === "trusted", (said) => said.where("entry.trust", "=", "trusted")),
          ),
        ]),
      )
      .orderBy((name) => name.case().when("node.folded", "=", folded).then(0).else(1).end())
      .orderBy("spoken_at", "desc")
      .orderBy("node.id")
      .limit(mostNamesakes)
      .execute();
    return rows;
  }

  async #create({ name, folded }: CheckedName, type: string): Promise<Candidate> {
    const node = { id: randomId("n", 12), scope: this.#by.scope, folded, type, name };
    await this.#tx.insertInto("graph_node").values(node).execute();
    return node;
  }

  async #mention(nodeId: string, { name, folded }: CheckedName): Promise<void> {
    const { scope, entryId, now } = this.#by;
    for (const word of new Set([folded, ...wordsOfName(folded)])) {
      await this.#tx
        .insertInto("graph_name")
        .values({ scope, word, folded, node_id: nodeId, backwards: backwards(word) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await this.#tx
      .insertInto("graph_mention")
      .values({ node_id: nodeId, folded, entry_id: entryId, name, said_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  #remember(folded: string, node: Candidate): void {
    const others = (this.#said.get(folded) ?? []).filter(({ id }) => id !== node.id);
    this.#said.set(folded, [...others, node]);
  }
}

function unknownEntry(id: string): MemoryError {
  return new MemoryError(
    "MEMORY_NOT_FOUND",
    `Cannot add to the graph what the entry "${id}" says: there is no such entry of one's own; store it first`,
  );
}
