import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

import type { GraphQuery, When } from "./live.ts";
import type { Connection } from "./memory-graph.ts";
import { computeStrength, edgesBetween, readEdges, toGraphEdge, type WeighedEdge } from "./read-edges.ts";
import { readNode, readNodes } from "./read-nodes.ts";

type Db = Kysely<Tables>;

/** One way from an end: to a node, by an edge, and how far it leads. */
interface Way {
  readonly nodeId: string;
  readonly strength: number;
  /** Undefined at the end itself. */
  readonly edge?: WeighedEdge;
}

interface Side {
  readonly end: string;
  readonly ways: ReadonlyMap<string, Way>;
  /** Whether the end has no more neighbours than these. */
  readonly whole: boolean;
}

/**
 * The strongest of the shortest ways, from both ends at once: the edges between what was reached from the one and from the
 * other are asked for by both their ends, so no more than the neighbours of the ends are read, whatever those are
 * neighbours of.
 */
export async function connect(
  db: Db,
  fromId: string,
  toId: string,
  query: GraphQuery & { readonly depth: number },
): Promise<Connection | undefined> {
  const { scope, when, now, depth } = query;
  const from = await readNode(db, scope, fromId);
  const to = await readNode(db, scope, toId);
  if (from === undefined || to === undefined) return undefined;
  if (fromId === toId) return { nodes: [from], edges: [], depth, complete: true };
  const [ids, edges, complete] = await findWay(db, fromId, toId, { when, depth });
  const nodes = await readNodes(db, scope, ids);
  return {
    nodes: ids.flatMap((id) => nodes.get(id) ?? []),
    edges: await Promise.all(edges.map((edge) => toGraphEdge(db, edge, when, now))),
    depth,
    complete,
  };
}

type FoundWay = readonly [nodes: readonly string[], edges: readonly WeighedEdge[], complete: boolean];

async function findWay(
  db: Db,
  fromId: string,
  toId: string,
  { when, depth }: { readonly when: When; readonly depth: number },
): Promise<FoundWay> {
  const from = startAt(fromId);
  const to = startAt(toId);
  const meet = async (pairs: readonly (readonly [Side, Side])[]) => strongest(db, pairs, when);
  const direct = await meet([[from, to]]);
  if (direct !== undefined || depth === 1) return found(direct, true);
  const [nearFrom, nearTo] = [await step(db, from, when), await step(db, to, when)];
  const byOne = await meet([
    [nearFrom, to],
    [from, nearTo],
  ]);
  if (byOne !== undefined || depth === 2) return found(byOne, nearFrom.whole || nearTo.whole);
  return found(await meet([[nearFrom, nearTo]]), nearFrom.whole && nearTo.whole);
}

type Path = readonly [nodes: readonly string[], edges: readonly WeighedEdge[]];

function found(path: Path | undefined, complete: boolean): FoundWay {
  return [...(path ?? ([[], []] as const)), complete];
}

function startAt(end: string): Side {
  return { end, ways: new Map([[end, { nodeId: end, strength: 1 }]]), whole: true };
}

/** Steps from the end to its neighbours. */
async function step(db: Db, { end }: Side, when: When): Promise<Side> {
  const { edges, cut } = await readEdges(db, end, when);
  const ways = new Map<string, Way>();
  for (const edge of edges) {
    const nodeId = edge.source === end ? edge.target : edge.source;
    if (nodeId !== end && !ways.has(nodeId))
      ways.set(nodeId, { nodeId, strength: computeStrength(edge), edge });
  }
  return { end, ways, whole: !cut };
}

/**
 * The strongest of the ways that meet. The heaviest edge between the sides comes first: of two that are as
 * strong, that one is taken.
 */
async function strongest(
  db: Db,
  pairs: readonly (readonly [Side, Side])[],
  when: When,
): Promise<Path | undefined> {
  let best: { readonly strength: number; readonly path: Path } | undefined;
  for (const [one, other] of pairs) {
    const crossing = await edgesBetween(db, [...one.ways.keys()], [...other.ways.keys()], when);
    for (const edge of crossing) {
      for (const [nearId, farId] of [
        [edge.source, edge.target],
        [edge.target, edge.source],
      ] as const) {
        const near = one.ways.get(nearId);
        const far = other.ways.get(farId);
        if (near === undefined || far === undefined) continue;
        const strength = near.strength * computeStrength(edge) * far.strength;
        if (best !== undefined && strength <= best.strength) continue;
        const edges = [near.edge, edge, far.edge].filter((each) => each !== undefined);
        best = { strength, path: [[...new Set([one.end, nearId, farId, other.end])], edges] };
      }
    }
  }
  return best?.path;
}
