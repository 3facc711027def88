import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool, trustMark } from "../../../../kernel/index.ts";
import type { FoundNode, GraphEdge, GraphNode, MemoryGraph } from "../../store/graph/memory-graph.ts";
import { findMemoryScope } from "../../store/memory-caller.ts";
import { checkOperation } from "../operation-parameters.ts";
import { readsMemory } from "../reads-memory.ts";
import { entityName } from "./parameters.ts";

const actions = ["search", "explore", "connect"] as const;

const parameters = z
  .strictObject({
    action: z
      .enum(actions)
      .describe(
        "search: find people and things by name; explore: what one is connected with; connect: how two are connected",
      ),
    query: entityName.describe("The name of a person, a place, a thing, …"),
    target: entityName.optional().describe("connect: the name of the other one"),
    depth: z.int().min(1).max(3).optional().describe("Steps: explore 2 by default, connect 3"),
    former: z.boolean().optional().describe("Also what was so once, or was corrected; false by default"),
  })
  .superRefine(
    checkOperation<"action", (typeof actions)[number]>("action", {
      search: { needs: ["query"] },
      explore: { needs: ["query"], takes: ["depth", "former"] },
      connect: { needs: ["query", "target"], takes: ["depth", "former"] },
    }),
  );

type Given = z.output<typeof parameters>;

/** The graph of the scope that a call works with. */
interface Place {
  readonly graph: MemoryGraph;
  readonly scope: string;
}

/** Null without a graph. */
export function memoryGraphTool(graph: MemoryGraph | undefined): Tool | null {
  if (graph === undefined) return null;
  return defineTool({
    name: "memory_graph",
    title: "Explore what memories are about",
    description:
      "Look at what memories are about and how that is connected: find people and things by name, see what one is " +
      "connected with, or how two are. Each edge names the memories that say so.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: readsMemory,
    async execute(given, context) {
      const place = { graph, scope: findMemoryScope(context) };
      switch (given.action) {
        case "search":
          return search(place, given.query);
        case "explore":
          return explore(place, given);
        case "connect":
          return connect(place, given);
        default:
          return given.action satisfies never;
      }
    },
  });
}

async function search({ graph, scope }: Place, name: string): Promise<unknown> {
  const found = await graph.find(scope, name);
  const data = {
    nodes: found.map(showFound),
    ...(found.length === 0 && { note: unknown(name) }),
  };
  return labelledContent(
    data,
    found.map(({ node }) => node),
  );
}

async function explore({ graph, scope }: Place, { query: name, depth, former }: Given): Promise<unknown> {
  const found = await graph.find(scope, name);
  const [first, ...others] = found;
  const seen = first && (await graph.explore(scope, first.node.id, withoutUndefined({ depth, former })));
  if (first === undefined || seen === undefined) return { node: null, note: unknown(name) };
  const { node, neighbours, edges, cut } = seen;
  const nodes = [node, ...neighbours.map((neighbour) => neighbour.node)];
  const same = namesakes(first, others);
  const data = withoutUndefined({
    node: showFound(first),
    also_by_that_name: same.length > 0 ? same.map(showNode) : undefined,
    connected: neighbours.map((neighbour) => ({ ...showNode(neighbour.node), steps: neighbour.depth })),
    edges: showEdges(edges, nodes),
    note: cut
      ? "There is more: these are the strongest connections"
      : neighbours.length === 0
        ? "No memory says what it is connected with"
        : undefined,
  });
  return labelledContent(data, [...nodes, ...same, ...edges]);
}

async function connect(
  { graph, scope }: Place,
  { query, target = "", depth, former }: Given,
): Promise<unknown> {
  const [from, ...fromOthers] = await graph.find(scope, query);
  const [to, ...toOthers] = await graph.find(scope, target);
  const found =
    from && to && (await graph.connect(scope, from.node.id, to.node.id, withoutUndefined({ depth, former })));
  if (from === undefined || to === undefined || found === undefined)
    return { connected: false, note: unknown(from === undefined ? query : target) };
  const { nodes, edges, complete } = found;
  const connected = nodes.length > 0;
  const steps = found.depth === 1 ? "1 step" : `${found.depth} steps`;
  const where = complete ? "" : " among their strongest connections";
  const same = [...namesakes(from, fromOthers), ...namesakes(to, toOthers)];
  const data = withoutUndefined({
    connected,
    from: showFound(from),
    to: showFound(to),
    also_by_that_name: same.map(showNode),
    path: connected ? nodes.map(({ name }) => name) : undefined,
    edges: connected ? showEdges(edges, nodes) : undefined,
    note: connected ? undefined : `No connection within ${steps}${where}`,
  });
  return labelledContent(data, [from.node, to.node, ...same, ...nodes, ...edges]);
}

function unknown(name: string): string {
  return `Nothing that is remembered is known by the name "${name}"; memory_recall searches the memories themselves`;
}

/** Others that are called exactly so too. */
function namesakes(first: FoundNode, others: readonly FoundNode[]): readonly GraphNode[] {
  return others.filter(({ match }) => match === "exact" && first.match === "exact").map(({ node }) => node);
}

function showFound({ node, name, match }: FoundNode) {
  return { ...showNode(node), ...(name !== node.name && { found_by: name }), match };
}

function showNode({ name, type, aliases, mentions, trust }: GraphNode) {
  return {
    name,
    type,
    ...(aliases.length > 0 && { aliases }),
    mentions,
    ...trustMark({ trust }),
  };
}

function showEdges(edges: readonly GraphEdge[], nodes: readonly GraphNode[]) {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  return edges.map(({ source, relation, target, weight, sources, current, trust }) => ({
    source: names.get(source),
    relation,
    target: names.get(target),
    weight,
    memories: sources.map(({ entryId }) => entryId),
    ...(!current && { former: true }),
    ...trustMark({ trust }),
  }));
}
