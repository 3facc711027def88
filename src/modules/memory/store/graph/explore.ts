import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

import type { GraphQuery, When } from "./live.ts";
import type { Neighbour, Neighbourhood } from "./memory-graph.ts";
import { computeStrength, edgesBetween, readEdges, toGraphEdge } from "./read-edges.ts";
import { readNode, readNodes } from "./read-nodes.ts";

type Db = Kysely<Tables>;

/** Nodes of one step from which the next is made: the strongest. */
const mostPerStep = 40;

interface Reached {
  readonly depth: number;
  readonly strength: number;
}

/**
 * Spreads from the node, step by step: along each edge goes a part of what has reached its end, and what comes to a node
 * by several ways adds up, never to more than 1.
 */
export async function explore(
  db: Db,
  nodeId: string,
  query: GraphQuery & { readonly depth: number; readonly limit: number },
): Promise<Neighbourhood | undefined> {
  const { scope, when, now, depth, limit } = query;
  const node = await readNode(db, scope, nodeId);
  if (node === undefined) return undefined;
  const { reached, cut } = await spread(db, nodeId, { when, depth });
  const strongest = inOrder(reached);
  const nodes = await readNodes(
    db,
    scope,
    strongest.slice(0, limit).map(([id]) => id),
  );
  const neighbours = strongest.flatMap(([id, at]): Neighbour[] => {
    const neighbour = nodes.get(id);
    return neighbour === undefined ? [] : [{ node: neighbour, ...at }];
  });
  const shown = [nodeId, ...nodes.keys()];
  const edges = await edgesBetween(db, shown, shown, when);
  return {
    node,
    neighbours,
    edges: await Promise.all(edges.map((edge) => toGraphEdge(db, edge, when, now))),
    cut: cut || strongest.length > limit,
  };
}

async function spread(
  db: Db,
  start: string,
  { when, depth }: { readonly when: When; readonly depth: number },
): Promise<{ readonly reached: ReadonlyMap<string, Reached>; readonly cut: boolean }> {
  const reached = new Map<string, Reached>();
  let cut = false;
  let frontier: [string, Reached][] = [[start, { depth: 0, strength: 1 }]];
  for (let step = 1; step <= depth; step++) {
    const next = new Map<string, Reached>();
    for (const [id, { strength }] of frontier.slice(0, mostPerStep)) {
      const { edges, cut: more } = await readEdges(db, id, when);
      cut ||= more;
      for (const edge of edges) {
        const other = edge.source === id ? edge.target : edge.source;
        if (other === start || reached.has(other)) continue;
        const missing = 1 - (next.get(other)?.strength ?? 0);
        next.set(other, { depth: step, strength: 1 - missing * (1 - strength * computeStrength(edge)) });
      }
    }
    cut ||= frontier.length > mostPerStep;
    for (const [id, at] of next) reached.set(id, at);
    frontier = inOrder(next);
  }
  return { reached, cut };
}

function inOrder(reached: ReadonlyMap<string, Reached>): [string, Reached][] {
  return [...reached].sort(
    ([oneId, one], [otherId, other]) =>
      other.strength - one.strength || one.depth - other.depth || (oneId < otherId ? -1 : 1),
  );
}
