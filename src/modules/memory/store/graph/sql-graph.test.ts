import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../../app/store/index.ts";
import { graphCases } from "../../../../testing/index.ts";

test.each(graphCases)("graph: $name", async ({ run }) => {
  await using store = await openStore({ path: ":memory:" });
  await run(store);
  expect(await store.check()).toEqual([]);
});

const by = { by: "test" };
const entry = { kind: "memory", text: "Ada knows Ben" };
const edges = [{ source: "Ada", relation: "knows", target: "Ben" }];

test("an entry that is erased leaves no row behind in the graph", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-graph-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "haft.db");
  await using store = await openStore({ path });
  const made = await store.memory.edit(
    "s",
    [
      { do: "create_block", entry },
      { do: "create_block", entry },
    ],
    by,
  );
  const nodes = [{ name: "Ada", aliases: ["Countess"] }];
  for (const { id: entryId } of made) await store.graph.add("s", [{ entryId, nodes, edges }]);
  const db = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => db.close());
  const tables = ["graph_node", "graph_name", "graph_mention", "graph_edge", "graph_statement"];
  const rows = () =>
    tables.map(
      (table) => (db.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count,
    );
  expect(rows()).toEqual([2, 3, 6, 1, 2]);
  for (const [index, { id }] of made.entries()) {
    await store.memory.edit("s", [{ do: "erase_block", id }], by);
    expect(rows()).toEqual(index === 0 ? [2, 3, 3, 1, 1] : [0, 0, 0, 0, 0]);
  }
});

test("secrets are taken out of names and relations before they are kept", async () => {
  const redact = (text: string) => text.replaceAll("hunter2", "[secret]");
  await using store = await openStore({ path: ":memory:", redact });
  const [made] = await store.memory.edit("s", [{ do: "create_block", entry }], by);
  const facts = { nodes: [{ name: "Ada", aliases: ["hunter2"] }], edges: [] };
  const edge = { source: "Ada", relation: "logs in by hunter2", target: "hunter2 the second" };
  await store.graph.add("s", [{ entryId: made?.id ?? "", ...facts, edges: [edge] }]);
  const [ada] = await store.graph.find("s", "Ada");
  const seen = await store.graph.explore("s", ada?.node.id ?? "");
  expect(JSON.stringify(seen)).not.toContain("hunter2");
  expect(seen?.edges[0]?.relation).toBe("logs in by [secret]");
});

/** Steps from the first node to each, as far as three. */
function stepsFrom(
  start: number,
  pairs: readonly (readonly [number, number])[],
): ReadonlyMap<number, number> {
  const steps = new Map([[start, 0]]);
  for (let depth = 1; depth <= 3; depth++)
    for (const [from, to] of pairs)
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const)
        if (steps.get(one) === depth - 1 && !steps.has(other)) steps.set(other, depth);
  return steps;
}

test("connect() finds the shortest way of any graph, and explore() every node that is that near", async () => {
  await using store = await openStore({ path: ":memory:" });
  const { memory, graph } = store;
  const node = fc.nat(7);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(node, node), { maxLength: 14 }), async (pairs) => {
      const scope = `run ${runs++}`;
      const [made] = await memory.edit(scope, [{ do: "create_block", entry }], by);
      const nodes = Array.from({ length: 8 }, (_, index) => ({ name: `node ${index}` }));
      const said = pairs.map(([from, to]) => ({
        source: `node ${from}`,
        relation: "to",
        target: `node ${to}`,
      }));
      await graph.add(scope, [{ entryId: made?.id ?? "", nodes, edges: said }]);
      const ids = await Promise.all(
        nodes.map(async ({ name }) => (await graph.find(scope, name))[0]?.node.id ?? ""),
      );
      const steps = stepsFrom(0, pairs);
      const near = await graph.explore(scope, ids[0] ?? "", { depth: 3 });
      const depths = new Map(near?.neighbours.map((one) => [one.node.name, one.depth]));
      for (const [index, id] of ids.entries()) {
        const way = await graph.connect(scope, ids[0] ?? "", id);
        const expected = steps.get(index);
        expect(way?.nodes.length).toBe(expected === undefined ? 0 : expected + 1);
        expect(way?.edges.length).toBe(expected ?? 0);
        if (index > 0) expect(depths.get(`node ${index}`)).toBe(expected);
      }
    }),
    { numRuns: 15 },
  );
});
