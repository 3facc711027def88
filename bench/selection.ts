import { existsSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { openPackagedModel } from "../src/store/index.ts";
import { isInstalled } from "./harness.ts";
import { type DataSet, readDataSet, unite } from "./selection/data-set.ts";
import { type HaftOptions, openHaft } from "./selection/haft.ts";
import { type Measures, measure } from "./selection/measures.ts";
import { type Peer, peers } from "./selection/peers.ts";
import { keepVectors } from "./selection/vector-file.ts";

const usage = `Usage: npm run bench:selection -- --data DIR [--past FILE] [--json]
  --data DIR        a folder with tools.jsonl and queries.jsonl; may be given again
  --union DIR,DIR   the tools of several folders together
  --past FILE       queries of the past with the tools that served them, as JSON lines
  --vectors FILE    keeps vectors, so that a rerun makes none
  --queries N       of a set, at most so many, evenly spread (of a union's sets 100 each)
  --no-peers        haft alone
  --no-embedder     words alone
  --json            one line of JSON a set`;

const { values } = parseArgs({
  options: {
    data: { type: "string", multiple: true, default: [] },
    union: { type: "string" },
    past: { type: "string" },
    vectors: { type: "string" },
    queries: { type: "string" },
    peers: { type: "boolean", default: true },
    embedder: { type: "boolean", default: true },
    json: { type: "boolean", default: false },
  },
  allowNegative: true,
});

interface Row {
  readonly name: string;
  /** Undefined: passed over. */
  readonly measures?: Measures;
  /** Until words can be searched. Vectors take longer, in the background. */
  readonly indexMs?: number;
}

async function measureHaft(set: DataSet, name: string, options: HaftOptions): Promise<Row> {
  const start = performance.now();
  const { search, rank } = openHaft(set, options);
  await search.search("first");
  const indexMs = performance.now() - start;
  await search.search("first");
  await search.ready();
  // The vectors of the queries are made before: a search is measured, not a sentence model.
  const { embedder } = options;
  if (embedder !== undefined) for (const { text } of set.queries) await embedder.embed([text]);
  const measures = await measure(set.queries, rank);
  await search.close();
  return { name, measures, indexMs };
}

async function measurePeer(set: DataSet, peer: Peer): Promise<Row> {
  if (peer.package !== undefined && !isInstalled(peer.package)) return { name: peer.name };
  const start = performance.now();
  const rank = await peer.open(set.tools);
  const indexMs = performance.now() - start;
  return { name: peer.name, measures: await measure(set.queries, rank), indexMs };
}

async function measureSet(set: DataSet): Promise<Row[]> {
  const rows = [await measureHaft(set, "haft, words", {})];
  const model = values.embedder ? openPackagedModel() : undefined;
  const { past } = set;
  if (past.length > 0) rows.push(await measureHaft(set, "haft, words, past queries", { past }));
  if (model !== undefined) {
    const embedder = keepVectors(model, values.vectors);
    rows.push(await measureHaft(set, "haft, words and vectors", { embedder }));
    if (past.length > 0) {
      rows.push(await measureHaft(set, "haft, words and vectors, past queries", { embedder, past }));
    }
    await model.close();
  }
  if (values.peers) for (const peer of peers) rows.push(await measurePeer(set, peer));
  return rows;
}

function toTable({ name, tools, queries, past }: DataSet, rows: readonly Row[]): string {
  const columns = Object.keys(rows[0]?.measures ?? {}) as (keyof Measures)[];
  const toLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const toCells = ({ measures, indexMs = 0 }: Row) =>
    measures === undefined
      ? ["passed over: not installed (`cd bench && npm ci`)"]
      : [
          ...columns.map((column) =>
            column.endsWith("ms") ? measures[column].toPrecision(2) : measures[column].toFixed(3),
          ),
          indexMs.toFixed(0),
        ];
  return [
    `### ${name}: ${tools.length} tools, ${queries.length} queries${past.length > 0 ? `, ${past.length} of the past` : ""}`,
    "",
    toLine(["", ...columns, "index ms"]),
    toLine(["---", ...columns.map(() => "---:"), "---:"]),
    ...rows.map((row) => toLine([row.name, ...toCells(row)])),
    "",
  ].join("\n");
}

function readSets(): DataSet[] {
  const united = (values.union ?? "").split(",").filter((folder) => folder !== "");
  const missing = [...values.data, ...united].find((folder) => !existsSync(folder));
  if (missing !== undefined) throw new Error(`Cannot read "${missing}": there is no such folder`);
  const most = values.queries === undefined ? undefined : Number(values.queries);
  const sets = values.data.map((folder) => {
    const set = readDataSet(folder, values.past);
    return most === undefined ? set : { ...unite([set], most), name: set.name };
  });
  if (united.length === 0) return sets;
  return [
    ...sets,
    unite(
      united.map((folder) => readDataSet(folder, undefined)),
      most ?? 100,
    ),
  ];
}

const sets = readSets();
if (sets.length === 0) {
  console.error(usage);
  process.exitCode = 2;
}
if (!values.json && sets.length > 0) {
  const [load = 0] = loadavg();
  console.log(`Node ${process.versions.node}, ${availableParallelism()} cores, load ${load.toFixed(1)}\n`);
}
for (const set of sets) {
  const rows = await measureSet(set);
  if (values.json) {
    console.log(
      JSON.stringify({ set: set.name, tools: set.tools.length, queries: set.queries.length, rows }),
    );
  } else console.log(toTable(set, rows));
}
