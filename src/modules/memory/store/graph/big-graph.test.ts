import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../../app/store/index.ts";

/** Edges: of two hubs to 20,000 leaves each, which they share 100 of, and 60,000 among the leaves at random. */
async function makeBigGraph(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "haft-graph-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "haft.db");
  {
    await using store = await openStore({ path });
    const entry = { kind: "memory", text: "all of it" };
    const [{ id } = { id: "" }] = await store.memory.edit("s", [{ do: "create_block", entry }], {
      by: "test",
    });
    await store.graph.add("s", [
      { entryId: id, nodes: [{ name: "hub one" }, { name: "hub two" }, { name: "far away" }] },
    ]);
  }
  const db = new DatabaseSync(path);
  db.exec(`
    pragma synchronous = off;
    begin;
    create temp table n as with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000) select i from n;
    insert into graph_node select 'n_' || i, 's', 'leaf ' || i, 'entity', 'Leaf ' || i from n;
    insert into graph_name select 's', 'leaf ' || i, 'leaf ' || i, 'n_' || i, 'x' from n;
    insert into graph_mention select 'n_' || i, 'leaf ' || i, (select id from memory_entry), 'Leaf ' || i, 1 from n;
    insert into graph_edge (source, target, relation, weight) select (select id from graph_node where folded = 'hub one'), 'n_' || i, 'has', 1 from n where i <= 20050;
    insert into graph_edge (source, target, relation, weight) select (select id from graph_node where folded = 'hub two'), 'n_' || i, 'has', 1 from n where i > 19950;
    insert into graph_edge (source, target, relation, weight) select 'n_' || i, 'n_' || ((i * 7919) % 39989 + 1), 'near', 1 from n;
    insert or ignore into graph_edge (source, target, relation, weight) select 'n_' || i, 'n_' || ((i * 104729) % 39989 + 1), 'by', 1 from n where i % 2 = 0;
    insert into graph_statement select id, (select id from memory_entry), null, null, 1 from graph_edge;
    commit;
  `);
  const { edges } = db.prepare("select count(*) as edges from graph_edge").get() as { edges: number };
  db.close();
  expect(edges).toBe(100_100);
  return path;
}

test("a graph of 100,000 edges is looked through by its strongest, and says so", async () => {
  await using store = await openStore({ path: await makeBigGraph() });
  const { graph } = store;
  const findId = async (name: string) => (await graph.find("s", name))[0]?.node.id ?? "";
  const [one, two, far] = [await findId("hub one"), await findId("hub two"), await findId("far away")];
  const [leaf, shared, last] = [
    await findId("leaf 77"),
    await findId("leaf 20000"),
    await findId("leaf 24936"),
  ];
  for (const depth of [1, 2, 3]) {
    const seen = await graph.explore("s", one, { depth });
    expect([seen?.neighbours.length, seen?.cut]).toEqual([30, true]);
  }
  const around = await graph.explore("s", leaf, { depth: 3, limit: 200 });
  expect(around?.neighbours.map(({ node }) => node.name)).toContain("hub one");
  // Leaf 24936 is next to leaf 1003, none of the first of its hub: what is asked for from one side is found from the other.
  for (const [from, to] of [
    [one, last],
    [shared, one],
    [shared, two],
  ] as const)
    expect((await graph.connect("s", from, to))?.nodes.length).toBe(from === one ? 3 : 2);
  expect(await graph.connect("s", one, far)).toMatchObject({ nodes: [], complete: false });
  expect(await graph.connect("s", shared, far, { depth: 2 })).toMatchObject({ nodes: [], complete: true });
});
