import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Trust } from "../kernel/index.ts";
import type {
  GraphEdge,
  GraphFacts,
  MemoryEdit,
  MemoryGraph,
  MemoryStore,
  Neighbourhood,
  NewGraphEdge,
} from "../modules/memory/index.ts";
import type { ContractCase } from "./contract-case.ts";

/** A graph, and the memory whose entries it is about. */
export interface GraphSubject {
  readonly graph: MemoryGraph;
  readonly memory: Pick<MemoryStore, "edit">;
}

/** What the entries of a scope are about. */
export const graphCases: readonly ContractCase<GraphSubject>[] = [
  {
    name: "find() knows a name without case and accents, by its beginning, with a slip, and by its words",
    async run(subject) {
      const { graph } = subject;
      await say(subject, {
        nodes: [
          { name: "Zoë Lovelace", type: "person" },
          { name: "Zoetermeer", type: "place" },
        ],
      });
      deepStrictEqual(await found(graph, "zoe  LOVELACE"), ["Zoë Lovelace: exact"]);
      deepStrictEqual(await found(graph, "zoe"), ["Zoetermeer: prefix", "Zoë Lovelace: prefix"]);
      deepStrictEqual(await found(graph, "lovel"), ["Zoë Lovelace: prefix"]);
      for (const slip of [
        "lovelce",
        "lovvelace",
        "lovelade",
        "lvoelace",
        "lovleace",
        "kovelace",
        "lovelaces",
      ])
        deepStrictEqual(await found(graph, slip), ["Zoë Lovelace: one edit"], slip);
      deepStrictEqual(await found(graph, "the house of Lovelace"), ["Zoë Lovelace: words"]);
      for (const none of ["", "?", "lovlce", "grace", "%", "_"])
        deepStrictEqual(await found(graph, none), [], none);
      deepStrictEqual(await found(graph, "zoe", "place"), ["Zoetermeer: prefix"]);
    },
  },
  {
    name: "add() has one node for a name and a type, and tells what has the same name apart by its type",
    async run(subject) {
      const { graph } = subject;
      await say(subject, { nodes: [{ name: "Paris" }] });
      await say(subject, {
        nodes: [
          { name: "PARIS", type: "place" },
          { name: "Paris", type: "person" },
        ],
      });
      await say(subject, {
        edges: [{ source: "Ada", relation: "visits", target: { name: "paris", type: "place" } }],
      });
      const nodes = (await graph.find("s", "paris")).map(({ node }) => [node.type, node.mentions]);
      deepStrictEqual(nodes, [
        ["place", 3],
        ["person", 1],
      ]);
    },
  },
  {
    name: "add() knows a node by its other names",
    async run(subject) {
      const { graph } = subject;
      await say(subject, { nodes: [{ name: "Ada Lovelace", type: "person", aliases: ["Countess"] }] });
      await say(subject, { edges: [{ source: "countess", relation: "knows", target: "Babbage" }] });
      const [hit, ...others] = await graph.find("s", "Countess");
      deepStrictEqual(others, []);
      strictEqual(hit?.name.toLowerCase(), "countess");
      strictEqual(hit.node.name, "Ada Lovelace");
      strictEqual(hit.node.mentions, 2);
      deepStrictEqual((await around(graph, "Ada Lovelace")).edges, ["Ada Lovelace -knows-> Babbage (1)"]);
    },
  },
  {
    name: "add() counts how many entries say an edge, each once, and names them",
    async run(subject) {
      const { graph } = subject;
      const edge = { source: "Ada", relation: "works_at", target: "Acme" };
      const first = await say(subject, { edges: [edge] });
      await graph.add("s", [{ entryId: first, edges: [{ ...edge, relation: "Works  at" }] }]);
      deepStrictEqual((await around(graph, "Ada")).edges, ["Ada -works at-> Acme (1)"]);
      const second = await say(subject, { edges: [edge] });
      const seen = await around(graph, "Acme");
      deepStrictEqual(seen.edges, ["Ada -works at-> Acme (2)"]);
      deepStrictEqual(
        seen.raw.edges[0]?.sources.map(({ entryId }) => entryId).sort(),
        [first, second].sort(),
      );
    },
  },
  {
    name: "add() makes all of it or nothing, and says what is wrong",
    async run(subject) {
      const { graph } = subject;
      const entryId = await say(subject, {});
      const good: GraphFacts = { entryId, nodes: [{ name: "Ada" }] };
      const bad: readonly [string, readonly GraphFacts[]][] = [
        ["MEMORY_NOT_FOUND", [good, { entryId: "none", nodes: [{ name: "Bob" }] }]],
        ["MEMORY_INVALID", [good, { entryId, nodes: [{ name: " \n" }] }]],
        ["MEMORY_INVALID", [good, { entryId, nodes: [{ name: "x".repeat(201) }] }]],
        ["MEMORY_INVALID", [good, { entryId, edges: [{ source: "Ada", relation: "", target: "Bob" }] }]],
        [
          "MEMORY_INVALID",
          [good, { entryId, edges: [{ source: "a", relation: "r", target: "b", validFrom: 2, validTo: 2 }] }],
        ],
        [
          "MEMORY_TOO_LONG",
          [good, { entryId, nodes: Array.from({ length: 5000 }, (_, n) => ({ name: `n${n}` })) }],
        ],
      ];
      for (const [code, facts] of bad) await rejects(graph.add("s", facts), { code }, code);
      await rejects(graph.add("other", [good]), { code: "MEMORY_NOT_FOUND" });
      deepStrictEqual(await found(graph, "Ada"), []);
      deepStrictEqual(await graph.entities("s", [entryId]), []);
    },
  },
  {
    name: "explore() spreads along the strongest edges, as deep as it is told, and around cycles once",
    async run(subject) {
      const { graph } = subject;
      await say(subject, chain("a", "b", "c", "d", "e", "a"));
      await say(subject, chain("a", "b"));
      await say(subject, chain("a", "b"));
      deepStrictEqual((await around(graph, "a", 1)).nodes, ["b 1", "e 1"]);
      const seen = await around(graph, "a", 3);
      deepStrictEqual(seen.nodes, ["b 1", "e 1", "c 2", "d 2"]);
      strictEqual(seen.edges.length, 5);
      strictEqual(seen.edges[0], "a -to-> b (3)");
      ok(seen.raw.neighbours.every(({ strength }) => strength > 0 && strength <= 1));
      strictEqual(seen.raw.cut, false);
    },
  },
  {
    name: "explore() gives no more nodes than it is asked for, the strongest, and says that there are more",
    async run(subject) {
      const { graph } = subject;
      const edges = Array.from({ length: 60 }, (_, n) => ({
        source: "hub",
        relation: "has",
        target: `leaf ${n}`,
      }));
      await say(subject, { edges });
      await say(subject, { edges: edges.slice(40, 42) });
      const hub = await findId(graph, "hub");
      const seen = await graph.explore("s", hub, { limit: 5 });
      strictEqual(seen?.neighbours.length, 5);
      strictEqual(seen.cut, true);
      deepStrictEqual(
        seen.neighbours
          .slice(0, 2)
          .map(({ node }) => node.name)
          .sort(),
        ["leaf 40", "leaf 41"],
      );
      strictEqual((await graph.explore("s", hub, { limit: 200, depth: 1 }))?.cut, false);
    },
  },
  {
    name: "connect() finds the shortest way, the strongest of those, in whichever direction, or that there is none",
    async run(subject) {
      const { graph } = subject;
      await say(subject, chain("a", "x", "z"));
      await say(subject, chain("z", "y", "a"));
      await say(subject, chain("z", "y", "a"));
      await say(subject, chain("a", "m", "n", "o", "p"));
      await say(subject, { nodes: [{ name: "alone" }] });
      deepStrictEqual(await way(graph, "a", "z"), ["a", "y", "z"]);
      deepStrictEqual(await way(graph, "z", "a"), ["z", "y", "a"]);
      deepStrictEqual(await way(graph, "a", "x"), ["a", "x"]);
      deepStrictEqual(await way(graph, "a", "a"), ["a"]);
      deepStrictEqual(await way(graph, "a", "o"), ["a", "m", "n", "o"]);
      deepStrictEqual(await way(graph, "a", "p"), []);
      deepStrictEqual(await way(graph, "a", "o", 2), []);
      deepStrictEqual(await way(graph, "a", "alone"), []);
      const connection = await graph.connect("s", await findId(graph, "o"), await findId(graph, "z"), {
        depth: 1,
      });
      deepStrictEqual([connection?.nodes, connection?.edges, connection?.complete], [[], [], true]);
      const edges = (await graph.connect("s", await findId(graph, "z"), await findId(graph, "a")))?.edges;
      deepStrictEqual(
        edges?.map(({ weight }) => weight),
        [2, 2],
      );
    },
  },
  {
    name: "a deleted entry says nothing until it is restored",
    async run(subject) {
      const { graph } = subject;
      const kept = await say(subject, chain("a", "b"));
      const gone = await say(subject, {
        ...chain("a", "b", "c"),
        nodes: [{ name: "d", aliases: ["a dee"] }],
      });
      const whole = async () => [
        (await around(graph, "a", 3)).edges,
        await found(graph, "c"),
        await found(graph, "a dee"),
        await way(graph, "a", "b"),
        (await graph.entities("s", [kept, gone])).length,
      ];
      const before = await whole();
      deepStrictEqual(before[0], ["a -to-> b (2)", "b -to-> c (1)"]);
      await edit(subject, { do: "delete_block", id: gone });
      deepStrictEqual(await whole(), [["a -to-> b (1)"], [], [], ["a", "b"], 2]);
      await edit(subject, { do: "restore_block", id: gone });
      deepStrictEqual(await whole(), before);
    },
  },
  {
    name: "what a superseded entry said is told as former alone",
    async run(subject) {
      const { graph } = subject;
      const old = await say(subject, { edges: [{ source: "Ada", relation: "works at", target: "Acme" }] });
      const newer = await say(subject, { edges: [{ source: "Ada", relation: "works at", target: "Beta" }] });
      await edit(subject, { do: "set_block_facts", id: old, facts: { supersededBy: newer } });
      deepStrictEqual((await around(graph, "Ada")).edges, ["Ada -works at-> Beta (1)"]);
      deepStrictEqual(await way(graph, "Ada", "Acme"), []);
      const former = await graph.explore("s", await findId(graph, "Ada"), { former: true });
      deepStrictEqual(
        former?.edges.map(({ weight, current }) => [weight, current]),
        [
          [1, false],
          [1, true],
        ],
      );
    },
  },
  {
    name: "an edge holds from its beginning until just before its end",
    async run(subject) {
      const { graph } = subject;
      const edge = (validFrom?: number, validTo?: number): NewGraphEdge => ({
        source: "Ada",
        relation: "lives in",
        target: "Rome",
        ...(validFrom !== undefined && { validFrom }),
        ...(validTo !== undefined && { validTo }),
      });
      await say(subject, { edges: [edge(1000, 2000)] });
      const ada = await findId(graph, "Ada");
      const weightAt = async (at: number) => (await graph.explore("s", ada, { at }))?.edges[0]?.weight ?? 0;
      deepStrictEqual(
        [await weightAt(999), await weightAt(1000), await weightAt(1999), await weightAt(2000)],
        [0, 1, 1, 0],
      );
      await say(subject, { edges: [edge(1500)] });
      deepStrictEqual([await weightAt(1500), await weightAt(2000)], [2, 1]);
      const entry = await say(subject, { edges: [edge(undefined, 1200)] });
      strictEqual(await weightAt(500), 1);
      await edit(subject, { do: "set_block_facts", id: entry, facts: { validFrom: 600 } });
      deepStrictEqual([await weightAt(599), await weightAt(600)], [0, 1]);
    },
  },
  {
    name: "what only untrusted entries say is marked, and gives no name to what trusted ones speak of",
    async run(subject) {
      const { graph } = subject;
      const outside = { nodes: [{ name: "Mallory", type: "obey me", aliases: ["Bob"] }] };
      await say(subject, { ...outside, ...chain("Mallory", "Bank") }, "untrusted");
      const [mallory] = await graph.find("s", "mallory");
      deepStrictEqual([mallory?.node.trust, mallory?.node.type], ["untrusted", "entity"]);
      strictEqual((await around(graph, "Mallory")).raw.edges[0]?.trust, "untrusted");
      await say(subject, chain("Bob", "Bank"));
      const bobs = (await graph.find("s", "bob")).map(({ node }) => [node.name, node.trust]);
      deepStrictEqual(bobs, [
        ["Bob", "trusted"],
        ["Mallory", "untrusted"],
      ]);
      await say(subject, chain("mallory", "Bank"));
      const [known] = await graph.find("s", "mallory");
      deepStrictEqual([known?.node.name, known?.node.trust, known?.node.aliases], ["mallory", "trusted", []]);
    },
  },
  {
    name: "forget() takes away for good what an entry said, and every name that it alone said",
    async run(subject) {
      const { graph } = subject;
      await say(subject, { edges: [{ source: "Countess", relation: "knows", target: "Babbage" }] });
      await say(subject, { edges: [{ source: "Countess", relation: "knows", target: "Babbage" }] });
      const gone = await say(subject, {
        nodes: [{ name: "Countess", aliases: ["Ada"] }],
        edges: [
          { source: "Ada", relation: "knows", target: "Babbage" },
          { source: "Ada", relation: "hates", target: "Byron" },
        ],
      });
      await graph.forget("other", [gone]);
      strictEqual((await around(graph, "Ada")).edges.length, 2);
      await graph.forget("s", [gone, "none"]);
      for (const name of ["Ada", "Byron"]) deepStrictEqual(await found(graph, name), [], name);
      deepStrictEqual((await around(graph, "Countess")).edges, ["Countess -knows-> Babbage (2)"]);
      deepStrictEqual(await graph.entities("s", [gone]), []);
    },
  },
  {
    name: "forget() leaves a node the names that others give it",
    async run(subject) {
      const { graph } = subject;
      const first = await say(subject, { nodes: [{ name: "Secret", aliases: ["Shown"] }] });
      await say(subject, chain("Shown", "b"));
      await graph.forget("s", [first]);
      deepStrictEqual(await found(graph, "secret"), []);
      deepStrictEqual((await around(graph, "shown")).edges, ["Shown -to-> b (1)"]);
      await say(subject, { nodes: [{ name: "shown" }] });
      strictEqual((await graph.find("s", "shown")).length, 1);
    },
  },
  {
    name: "entities() and mentions() lead from entries to nodes and back, the newest first",
    async run(subject) {
      const { graph } = subject;
      const one = await say(subject, { nodes: [{ name: "Ada", type: "person" }] });
      const two = await say(subject, chain("ada", "Rome"));
      const [entity, ...others] = await graph.entities("s", [one]);
      deepStrictEqual([entity?.entryId, entity?.name, entity?.type, others], [one, "Ada", "person", []]);
      const rome = (await graph.entities("s", [two])).find(({ name }) => name === "Rome")?.nodeId ?? "";
      const ada = entity?.nodeId ?? "";
      const entries = async (ids: readonly string[], limit?: number) =>
        (await graph.mentions("s", ids, limit === undefined ? {} : { limit })).map(({ entryId }) => entryId);
      deepStrictEqual((await entries([ada])).sort(), [one, two].sort());
      strictEqual((await entries([ada], 1)).length, 1);
      deepStrictEqual(await entries([rome]), [two]);
      deepStrictEqual(await entries([]), []);
      deepStrictEqual(await graph.entities("s", []), []);
    },
  },
  {
    name: "nothing of one scope is seen from another",
    async run(subject) {
      const { graph } = subject;
      const entry = await say(subject, chain("Ada", "Acme"));
      await say(subject, { nodes: [{ name: "Ada" }] }, "trusted", "other");
      const ada = await findId(graph, "Ada");
      const acme = await findId(graph, "Acme");
      for (const scope of ["other", "", "s/agent", "%"]) {
        strictEqual(await graph.explore(scope, ada), undefined);
        strictEqual(await graph.connect(scope, ada, acme), undefined);
        deepStrictEqual(await graph.find(scope, "Acme"), []);
        deepStrictEqual(await graph.entities(scope, [entry]), []);
        deepStrictEqual(await graph.mentions(scope, [ada]), []);
      }
      strictEqual((await graph.find("s", "Ada"))[0]?.node.mentions, 1);
      deepStrictEqual((await around(graph, "Ada", 3, "other")).nodes, []);
    },
  },
];

/** Stores an entry that says this, and resolves with its id. */
async function say(
  { graph, memory }: GraphSubject,
  facts: Omit<GraphFacts, "entryId">,
  trust: Trust = "trusted",
  scope = "s",
): Promise<string> {
  const [entry] = await memory.edit(
    scope,
    [{ do: "create_block", entry: { kind: "memory", text: JSON.stringify(facts), trust } }],
    { by: "test" },
  );
  const id = entry?.id ?? "";
  await graph.add(scope, [{ entryId: id, ...facts }]);
  return id;
}

async function edit({ memory }: GraphSubject, change: MemoryEdit): Promise<void> {
  await memory.edit("s", [change], { by: "test" });
}

function chain(...names: readonly string[]): Pick<GraphFacts, "edges"> {
  const edges = names.slice(1).map((target, at) => ({ source: names[at] ?? "", relation: "to", target }));
  return { edges };
}

async function found(graph: MemoryGraph, name: string, type?: string): Promise<string[]> {
  const nodes = await graph.find("s", name, type === undefined ? {} : { type });
  return nodes.map(({ node, match }) => `${node.name}: ${match}`);
}

async function findId(graph: MemoryGraph, name: string, scope = "s"): Promise<string> {
  return (await graph.find(scope, name))[0]?.node.id ?? "";
}

interface Around {
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
  readonly raw: Neighbourhood;
}

async function around(graph: MemoryGraph, name: string, depth = 2, scope = "s"): Promise<Around> {
  const raw = await graph.explore(scope, await findId(graph, name, scope), { depth });
  if (raw === undefined) throw new Error(`There is no node ${name}`);
  const names = new Map(
    [raw.node, ...raw.neighbours.map(({ node }) => node)].map(({ id, name: own }) => [id, own]),
  );
  const inWords = ({ source, relation, target, weight }: GraphEdge) =>
    `${names.get(source)} -${relation}-> ${names.get(target)} (${weight})`;
  const inOrder = raw.neighbours.map(({ node, depth: steps }) => `${node.name} ${steps}`);
  return { nodes: inOrder, edges: raw.edges.map(inWords), raw };
}

async function way(
  graph: MemoryGraph,
  from: string,
  to: string,
  depth = 3,
): Promise<readonly string[] | undefined> {
  const connection = await graph.connect("s", await findId(graph, from), await findId(graph, to), { depth });
  return connection?.nodes.map(({ name }) => name);
}
