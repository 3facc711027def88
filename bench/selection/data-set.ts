import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A tool as the data sets write it. */
export interface DataTool {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly server?: string;
  readonly serverDescription?: string;
  readonly category?: string;
  readonly parameters?: Readonly<Record<string, { readonly type?: unknown; readonly description?: unknown }>>;
}

export interface DataQuery {
  readonly query: string;
  readonly relevant: readonly string[];
  /** Lists of ids of which one is as right as the other. @default each relevant id by itself */
  readonly groups?: readonly (readonly string[])[];
  readonly split?: string;
}

export interface JudgedQuery {
  readonly text: string;
  readonly groups: readonly (readonly string[])[];
}

export interface DataSet {
  readonly name: string;
  readonly tools: readonly DataTool[];
  readonly queries: readonly JudgedQuery[];
  /** Messages of the past, with the tools that served them. */
  readonly past: readonly DataQuery[];
}

/** @param pastFile messages of the past, as JSON lines; beside those of the set itself */
export function readDataSet(folder: string, pastFile: string | undefined): DataSet {
  const all = readLines<DataQuery>(join(folder, "queries.jsonl"));
  const more = pastFile === undefined ? [] : readLines<DataQuery>(pastFile);
  return {
    name: basename(folder),
    tools: readLines<DataTool>(join(folder, "tools.jsonl")),
    queries: all.filter(({ split }) => split !== "past").map(toJudged),
    past: [...all.filter(({ split }) => split === "past"), ...more],
  };
}

/** All tools together, and as many queries of each set: what the others have that looks alike is in the way. */
export function unite(sets: readonly DataSet[], queriesPerSet: number): DataSet {
  const idIn = (set: DataSet) => (id: string) => `${set.name}\0${id}`;
  return {
    name: `union of ${sets.map(({ name }) => name).join(", ")}`,
    tools: sets.flatMap((set) => set.tools.map((tool) => ({ ...tool, id: idIn(set)(tool.id) }))),
    queries: sets.flatMap((set) =>
      everyNth(set.queries, queriesPerSet).map(({ text, groups }) => ({
        text,
        groups: groups.map((ids) => ids.map(idIn(set))),
      })),
    ),
    past: sets.flatMap((set) =>
      set.past.map((query) => ({ ...query, relevant: query.relevant.map(idIn(set)) })),
    ),
  };
}

/** Every two requests joined to one that asks for the tools of both: the first of a set with the first of its second half, and so on. */
export function pairQueries(set: DataSet): DataSet {
  const half = Math.floor(set.queries.length / 2);
  const seconds = set.queries.slice(half);
  const queries = set.queries.slice(0, half).map(({ text, groups }, at) => ({
    text: `${text} ${seconds[at]?.text ?? ""}`,
    groups: [...groups, ...(seconds[at]?.groups ?? [])],
  }));
  return { ...set, name: `${set.name}, pairs`, queries, past: [] };
}

/** At most so many items, evenly spread. */
export function everyNth<Item>(items: readonly Item[], count: number): readonly Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_item, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

function toJudged({ query, relevant, groups }: DataQuery): JudgedQuery {
  return { text: query, groups: groups ?? relevant.map((id) => [id]) };
}

function readLines<Row>(file: string): Row[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Row);
}
