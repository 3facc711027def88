import { existsSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { openBaselines } from "./memory/baselines.ts";
import { measureBesideFts } from "./memory/beside-fts.ts";
import type { DataSet } from "./memory/data-set.ts";
import { openHaft } from "./memory/haft.ts";
import { type Measured, type Measures, measure } from "./memory/measures.ts";
import { measureRelevance } from "./memory/relevance.ts";
import { measureScale } from "./memory/scale.ts";
import { openServerMemory, serverMemory } from "./memory/server-memory.ts";
import { findDataSets, summarise, withFewQueries } from "./memory/summary.ts";
import { openNamed } from "./named-model.ts";
import { keepVectors } from "./selection/vector-file.ts";

const usage = `Usage: npm run bench:memory -- --data DIR [--embedder none|offline|encoder] [--scale N,N] [--json]
  --data DIR        a folder with memories.jsonl and queries.jsonl, or one of such folders; may be given again
  --queries N       at most so many questions of each set, always the same ones
  --summary         haft alone, a row a set
  --embedder NAME   none: words alone (the default); offline: the word vectors that come with haft; encoder: packages/haft-encoder
  --vectors FILE    keeps vectors, so that a rerun makes none
  --scale N,N       cost, size and memory with so many entries, e.g. 10000,100000,1000000
  --beside-fts N,N  CPU of a search of so many short memories, and of FTS5 as it comes, in one run
  --no-peers        haft alone
  --floor A/B,C/D   the same with each of these as the model's cosines of what is unrelated and what is related
  --relevance       what a search for what is relevant alone keeps and leaves out; needs two sets or more
  --json            one line of JSON a set`;

const { values } = parseArgs({
  options: {
    data: { type: "string", multiple: true, default: [] },
    embedder: { type: "string", default: "none" },
    vectors: { type: "string" },
    scale: { type: "string", default: "" },
    queries: { type: "string" },
    "beside-fts": { type: "string", default: "" },
    summary: { type: "boolean", default: false },
    peers: { type: "boolean", default: true },
    relevance: { type: "boolean", default: false },
    floor: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
  allowNegative: true,
});

interface Row {
  readonly name: string;
  /** Undefined: passed over. */
  readonly measured?: Measured;
  readonly insertCpuMs?: number;
}

async function measureSet(set: DataSet): Promise<Row[]> {
  const rows: Row[] = [];
  const haft = await openHaft(set, undefined);
  rows.push({
    name: "haft, words",
    measured: await measure(set.queries, haft.rank),
    insertCpuMs: haft.insertCpuMs,
  });
  await haft.close();
  const model = openNamed(values.embedder);
  const embedder = model && keepVectors(model, values.vectors);
  if (embedder !== undefined) {
    // The vectors of the queries are made before: a search is measured, not a sentence model.
    for (const { query } of set.queries) await embedder.embed([query]);
    const both = await openHaft(set, embedder);
    rows.push({
      name: "haft, words and meaning",
      measured: await measure(set.queries, both.rank),
      insertCpuMs: both.insertCpuMs,
    });
    await both.close();
  }
  if (values.peers) {
    for (const { name, rank } of await openBaselines(set, embedder)) {
      rows.push({ name, measured: await measure(set.queries, rank) });
    }
    const peer = await openServerMemory(set);
    if (peer === undefined) rows.push({ name: serverMemory });
    for (const [name, rank] of Object.entries(peer?.ranks ?? {})) {
      rows.push({ name, measured: await measure(set.queries, rank) });
    }
    await peer?.close();
  }
  await model?.close();
  return rows;
}

function toTable({ name, memories, queries }: DataSet, rows: readonly Row[]): string {
  const columns = Object.keys(rows[0]?.measured?.all ?? {}) as (keyof Measures)[];
  const categories = Object.keys(rows[0]?.measured?.categories ?? {});
  const toCells = ({ measured, insertCpuMs }: Row) =>
    measured === undefined
      ? ["passed over: not installed (`npm ci`)"]
      : [
          ...columns.map((column) =>
            column.endsWith("ms") ? toFew(measured.all[column]) : toShare(measured.all[column], column),
          ),
          insertCpuMs === undefined ? "" : toFew(insertCpuMs),
          ...categories.map((category) => toShare(measured.categories[category] ?? 0)),
        ];
  const heads = ["", ...columns, "insert cpu ms", ...categories.map((category) => `${category} R@10`)];
  return [
    `### ${name}: ${memories.length} memories, ${queries.length} queries`,
    "",
    toLine(heads),
    toLine(heads.map((_, at) => (at === 0 ? "---" : "---:"))),
    ...rows.map((row) => toLine([row.name, ...toCells(row)])),
    "",
  ].join("\n");
}

/** All sets in one table: what a constant is judged by. */
async function printSummary(all: readonly DataSet[]): Promise<void> {
  const model = openNamed(values.embedder);
  const embedder = model && keepVectors(model, values.vectors);
  for (const [at, set] of all.entries()) {
    const figures = await summarise(set, embedder);
    if (at === 0) {
      const heads = ["", ...Object.keys(figures)];
      console.log(toLine(heads));
      console.log(toLine(heads.map((_, column) => (column === 0 ? "---" : "---:"))));
    }
    const cells = Object.values(figures).map((figure) => (figure === undefined ? "" : figure.toFixed(1)));
    console.log(toLine([set.name, ...cells]));
  }
  await model?.close();
}

/** Prints what the floor keeps and leaves out, for each of the figures of likeness that it is tried with. */
async function printRelevance(all: readonly DataSet[]): Promise<void> {
  const model = openNamed(values.embedder);
  const embedder = model && keepVectors(model, values.vectors);
  const tried = values.floor.split(",").filter(Boolean);
  console.log(toLine(["", "likeness", "kept", "silent", "silent before", "shown"]));
  console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const set of all) {
    const others = all.filter((other) => other !== set && !isTranslation(other, set));
    for (const floor of tried.length === 0 ? [undefined] : tried) {
      const [unrelated = 0, related = 1] = (floor ?? "").split("/").map(Number);
      const asked =
        embedder && floor !== undefined ? { ...embedder, likeness: { unrelated, related } } : embedder;
      const { kept, silent, silentBefore, shown } = await measureRelevance(set, others, asked);
      const shares = [kept, silent, silentBefore].map((share) => toShare(share));
      console.log(toLine([set.name, floor ?? "as it is", ...shares, shown.toFixed(1)]));
    }
  }
  await model?.close();
}

/** Sets that ask the same in two languages, as `name-en` and `name-zh`. */
function isTranslation(one: DataSet, other: DataSet): boolean {
  const base = ({ name }: DataSet) => name.replace(/-[a-z]{2}$/, "");
  return base(one) === base(other);
}

function toShare(share: number, column = ""): string {
  return column === "MRR" || column.startsWith("nDCG") ? share.toFixed(3) : (share * 100).toFixed(1);
}

/** Two digits of what is small. */
function toFew(value: number): string {
  return value < 10 ? value.toPrecision(2) : value.toFixed(0);
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

const parseNumbers = (list: string) => list.split(",").filter(Boolean).map(Number);
const sizes = parseNumbers(values.scale);
const besideSizes = parseNumbers(values["beside-fts"]);
if (
  (values.data.length === 0 && sizes.length === 0 && besideSizes.length === 0) ||
  !["none", "offline", "encoder"].includes(values.embedder) ||
  [...sizes, ...besideSizes].some((size) => !Number.isInteger(size) || size < 1)
) {
  console.error(usage);
  process.exit(2);
}
const missing = values.data.find((folder) => !existsSync(folder));
if (missing !== undefined) throw new Error(`Cannot read "${missing}": there is no such folder`);
if (!values.json) {
  const [load = 0] = loadavg();
  console.log(`Node ${process.versions.node}, ${availableParallelism()} cores, load ${load.toFixed(1)}\n`);
}
const mostQueries = Number(values.queries ?? Number.POSITIVE_INFINITY);
const sets = findDataSets(values.data).map((set) => withFewQueries(set, mostQueries));
const isFloor = values.relevance || values.floor !== "";
if (isFloor) await printRelevance(sets);
if (values.summary) await printSummary(sets);
for (const set of isFloor || values.summary ? [] : sets) {
  const rows = await measureSet(set);
  if (values.json) {
    const { name, memories, queries } = set;
    console.log(JSON.stringify({ set: name, memories: memories.length, queries: queries.length, rows }));
  } else console.log(toTable(set, rows));
}
const scales = [
  ...sizes.map((size) => () => measureScale(size)),
  ...besideSizes.map((size) => () => measureBesideFts(size)),
];
for (const [at, measureFigures] of scales.entries()) {
  const figures = await measureFigures();
  if (values.json) console.log(JSON.stringify({ scale: figures }));
  else {
    const columns = Object.entries(figures);
    if (at === 0 || at === sizes.length) {
      console.log(toLine(columns.map(([name]) => name)));
      console.log(toLine(columns.map(() => "---:")));
    }
    console.log(toLine(columns.map(([, value]) => toFew(value))));
  }
}
