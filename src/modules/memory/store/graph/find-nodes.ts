import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../tables.ts";

import type { FoundNode, NameMatch } from "./memory-graph.ts";
import { findEnd, foldName, isOneEdit, splitHalves, wordsOfName } from "./names.ts";
import { readNode } from "./read-nodes.ts";

type Db = Kysely<Tables>;

/** Names that are looked at for one kind of match. */
const mostNames = 100;
/** Words that begin or end like one that was misspelt. */
const mostNear = 2000;

interface Name {
  readonly word: string;
  readonly folded: string;
  readonly node_id: string;
}

export interface FindQuery {
  readonly scope: string;
  readonly type: string | undefined;
  readonly limit: number;
}

/** Each kind of match is only looked for where those before it have not found enough. */
export async function findNodes(db: Db, name: string, query: FindQuery): Promise<readonly FoundNode[]> {
  const folded = foldName(name.slice(0, 400));
  if (folded === "") return [];
  const found: FoundNode[] = [];
  const known = new Set<string>();
  for (const [match, look] of kinds) {
    if (found.length >= query.limit) break;
    const names = (await look(db, query.scope, folded)).filter(({ node_id: id }) => !known.has(id));
    const nodes = await toFound(db, query, match, names);
    for (const { node } of nodes) known.add(node.id);
    found.push(...nodes);
  }
  return found.slice(0, query.limit);
}

type Look = (db: Db, scope: string, folded: string) => Promise<readonly Name[]>;

const kinds: readonly (readonly [NameMatch, Look])[] = [
  [
    "exact",
    (db, scope, folded) => names(db, scope, sql`called.word = ${folded} and called.folded = ${folded}`),
  ],
  [
    "prefix",
    (db, scope, folded) =>
      names(db, scope, sql`called.word >= ${folded} and called.word < ${findEnd(folded)}`),
  ],
  ["one edit", misspelt],
  ["words", ofWords],
];

/** Those that an entry still says. */
async function names(
  db: Db,
  scope: string,
  which: RawBuilder<unknown>,
  most = mostNames,
): Promise<readonly Name[]> {
  const { rows } = await sql<Name>`
    select called.word, called.folded, called.node_id from graph_name as called
    where called.scope = ${scope} and ${which} and exists (
      select 1 from graph_mention as mention join memory_entry as entry on entry.id = mention.entry_id
      where mention.node_id = called.node_id and mention.folded = called.folded and entry.deleted_at is null)
    limit ${most}
  `.execute(db);
  return rows;
}

async function misspelt(db: Db, scope: string, folded: string): Promise<readonly Name[]> {
  const halves = splitHalves(folded);
  if (halves === undefined) return [];
  const { first, second } = halves;
  const length = sql`length(called.word) between ${folded.length - 1} and ${folded.length + 1}`;
  const begin = sql`called.word >= ${first} and called.word < ${findEnd(first)} and ${length}`;
  const end = sql`called.backwards >= ${second} and called.backwards < ${findEnd(second)} and ${length}`;
  const near = [...(await names(db, scope, begin, mostNear)), ...(await names(db, scope, end, mostNear))];
  return near.filter(({ word }) => isOneEdit(word, folded)).slice(0, mostNames);
}

/** Those that share most words with the name first. */
async function ofWords(db: Db, scope: string, folded: string): Promise<readonly Name[]> {
  const shared = new Map<string, { name: Name; count: number }>();
  for (const word of wordsOfName(folded)) {
    for (const name of await names(db, scope, sql`called.word = ${word}`)) {
      const key = `${name.node_id} ${name.folded}`;
      shared.set(key, { name, count: (shared.get(key)?.count ?? 0) + 1 });
    }
  }
  const inOrder = [...shared.values()].sort((one, other) => other.count - one.count);
  const [best] = inOrder;
  return inOrder.filter(({ count }) => count === best?.count).map(({ name }) => name);
}

async function toFound(
  db: Db,
  { scope, type }: FindQuery,
  match: NameMatch,
  called: readonly Name[],
): Promise<FoundNode[]> {
  const found = new Map<string, FoundNode>();
  for (const { node_id: id, folded } of called) {
    if (found.has(id)) continue;
    const node = await readNode(db, scope, id);
    if (node === undefined || (type !== undefined && node.type !== type)) continue;
    const name = [node.name, ...node.aliases].find((each) => foldName(each) === folded) ?? node.name;
    found.set(id, { node, name, match });
  }
  return [...found.values()].sort(byStanding);
}

/** What only comes from outside is not taken for what it says to be called. */
function byStanding(one: FoundNode, other: FoundNode): number {
  return (
    Number(other.node.trust === "trusted") - Number(one.node.trust === "trusted") ||
    Number(other.name === other.node.name) - Number(one.name === one.node.name) ||
    other.node.mentions - one.node.mentions ||
    (one.name < other.name ? -1 : 1)
  );
}
