import { existsSync, readdirSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isInstalled } from "./harness.ts";
import { openNamed } from "./named-model.ts";
import { type DataSet, everyNth, pairQueries, readDataSet, unite } from "./selection/data-set.ts";
import { type HaftOptions, openHaft } from "./selection/haft.ts";
import { type Measures, measure } from "./selection/measures.ts";
import { measurePacks } from "./selection/packs.ts";
import { type Peer, peers } from "./selection/peers.ts";
import { sweepWeights } from "./selection/sweep.ts";
import { keepVectors } from "./selection/vector-file.ts";

const usage = `Usage: npm run bench:selection -- --data DIR [--past FILE] [--json]
  --data DIR        a folder with tools.jsonl and queries.jsonl; may be given again
  --all DIR         every such folder in this one, with one table of all of them at the end
  --union DIR,DIR   the tools of several folders together
  --past FILE       queries of the past with the tools that served them, as JSON lines
  --vectors FILE    keeps vectors, so that a rerun makes none
  --queries N       of a set, at most so many, evenly spread (of a union's sets 100 each)
  --pairs           as well, every two requests of a set joined to one
  --packs           instead, how well packs are selected
  --sweep           instead, what each weight of the ranking does on every set, by the other sets' choice
  --no-peers        haft alone
  --model NAME      offline (the default): the word vectors that come with haft; encoder: packages/haft-encoder
  --no-embedder     words alone
  --json            one line of JSON a set`;

const { values } = parseArgs({
  options: {
    data: { type: "string", multiple: true, default: [] },
    all: { type: "string" },
    union: { type: "string" },
    pairs: { type: "boolean", default: false },
    packs: { type: "boolean", default: false },
    sweep: { type: "boolean", default: false },
    past: { type: "string" },
    vectors: { type: "string" },
    queries: { type: "string" },
    peers: { type: "boolean", default: true },
    embedder: { type: "boolean", default: true },
    model: { type: "string", default: "offline" },
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
  const model = values.embedder ? openNamed(values.model) : undefined;
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
  const data = [...values.data, ...(values.all === undefined ? [] : foldersIn(values.all))];
  const missing = [...data, ...united].find((folder) => !existsSync(folder));
  if (missing !== undefined) throw new Error(`Cannot read "${missing}": there is no such folder`);
  const most = values.queries === undefined ? undefined : Number(values.queries);
  const single = data.map((folder) => {
    const set = readDataSet(folder, values.past);
    return most === undefined ? set : { ...set, queries: everyNth(set.queries, most) };
  });
  const sets = values.pairs ? [...single, ...single.map(pairQueries)] : single;
  if (united.length === 0) return sets;
  return [
    ...sets,
    unite(
      united.map((folder) => readDataSet(folder, undefined)),
      most ?? 100,
    ),
  ];
}

/** Folders in a folder that hold a set. */
function foldersIn(folder: string): string[] {
  const names = readdirSync(folder).toSorted();
  return names.map((name) => join(folder, name)).filter((set) => existsSync(join(set, "tools.jsonl")));
}

/** One line a way to search, one column a set. */
function toOverview(results: readonly { readonly set: DataSet; readonly rows: readonly Row[] }[]): string {
  const names = [...new Set(results.flatMap(({ rows }) => rows.map(({ name }) => name)))];
  const findCell = (rows: readonly Row[], name: string) => {
    const measures = rows.find((row) => row.name === name)?.measures;
    return measures === undefined
      ? ""
      : `${(100 * measures["R@10"]).toFixed(1)}; ${measures["nDCG@10"].toFixed(3)}`;
  };
  return [
    `| R@10; nDCG@10 | ${results.map(({ set }) => set.name).join(" | ")} |`,
    `| --- |${" ---: |".repeat(results.length)}`,
    ...names.map((name) => `| ${[name, ...results.map(({ rows }) => findCell(rows, name))].join(" | ")} |`),
  ].join("\n");
}

async function selectPacks(sets: readonly DataSet[]): Promise<void> {
  const model = values.embedder ? openNamed(values.model) : undefined;
  const embedder = model === undefined ? undefined : keepVectors(model, values.vectors);
  const share = (number: number | undefined) => (number === undefined ? "" : number.toFixed(3));
  for (const set of sets) {
    console.log(
      `### ${set.name}\n\n| | precision | recall | F1 | right first |\n| --- |${" ---: |".repeat(4)}`,
    );
    for (const { name, precision, recall, first } of await measurePacks(set, embedder)) {
      const balanced = (2 * precision * recall) / (precision + recall || 1);
      console.log(`| ${[name, ...[precision, recall, balanced, first].map(share)].join(" | ")} |`);
    }
    console.log();
  }
  await model?.close();
}

async function sweep(sets: readonly DataSet[]): Promise<void> {
  const model = values.embedder ? openNamed(values.model) : undefined;
  const embedder = model === undefined ? undefined : keepVectors(model, values.vectors);
  console.log(await sweepWeights(sets, { ...(embedder !== undefined && { embedder }) }));
  await model?.close();
}

async function measureAll(sets: readonly DataSet[]): Promise<void> {
  const results: { set: DataSet; rows: readonly Row[] }[] = [];
  for (const set of sets) {
    const rows = await measureSet(set);
    results.push({ set, rows });
    if (values.json) {
      console.log(
        JSON.stringify({ set: set.name, tools: set.tools.length, queries: set.queries.length, rows }),
      );
    } else console.log(toTable(set, rows));
  }
  if (!values.json && results.length > 1) console.log(toOverview(results));
}

const sets = readSets();
if (sets.length === 0) {
  console.error(usage);
  process.exitCode = 2;
} else {
  if (!values.json) {
    const [load = 0] = loadavg();
    console.log(`Node ${process.versions.node}, ${availableParallelism()} cores, load ${load.toFixed(1)}\n`);
  }
  if (values.packs) await selectPacks(sets);
  else await (values.sweep ? sweep(sets) : measureAll(sets));
}
