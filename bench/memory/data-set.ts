import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { months } from "../../src/modules/memory/store/search/dates/spelled-date.ts";

/** A memory as the data sets write it. */
export interface DataMemory {
  readonly id: string;
  readonly scope: string;
  readonly text: string;
  readonly time?: string;
  readonly speaker?: string;
  readonly session?: string;
  readonly role?: string;
  readonly tags?: readonly string[];
  readonly category?: string;
  readonly title?: string;
  readonly names?: readonly string[];
}

export interface DataQuery {
  readonly id: string;
  readonly scope: string;
  readonly query: string;
  /** Ids. */
  readonly relevant: readonly string[];
  readonly category?: string;
}

export interface DataSet {
  readonly name: string;
  readonly memories: readonly DataMemory[];
  readonly queries: readonly DataQuery[];
}

export function readDataSet(folder: string): DataSet {
  return {
    name: basename(folder),
    memories: readLines<DataMemory>(join(folder, "memories.jsonl")),
    queries: readLines<DataQuery>(join(folder, "queries.jsonl")),
  };
}

export function byScope(memories: readonly DataMemory[]): ReadonlyMap<string, readonly DataMemory[]> {
  return Map.groupBy(memories, ({ scope }) => scope);
}

/** Unix ms of "1:56 pm on 8 May, 2023", or of what `Date` reads, in UTC. Undefined: neither. */
export function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const spoken = /^(\d+):(\d+) ?(am|pm) on (\d+) (\w+),? (\d+)$/i.exec(text.trim());
  if (spoken === null) {
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : at;
  }
  const [, hour, minute, half = "", day, month = "", year] = spoken;
  const index = months.findIndex((name) => name.toLowerCase() === month.toLowerCase());
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  return index < 0 ? undefined : Date.UTC(Number(year), index, Number(day), hours, Number(minute));
}

function readLines<Row>(file: string): Row[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Row);
}
