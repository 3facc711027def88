import { DatabaseSync } from "node:sqlite";
import type { Embedder } from "../../src/search/index.ts";
import type { DataMemory, DataSet } from "./data-set.ts";
import type { Rank } from "./measures.ts";

/** Another way to search the same memories, in the same run. */
export interface Baseline {
  readonly name: string;
  readonly rank: Rank;
}

const limit = 20;

/** What agents' memories do today: FTS5 as it comes, vectors, and both by rank. Without a model, words alone. */
export async function openBaselines(set: DataSet, embedder: Embedder | undefined): Promise<Baseline[]> {
  const words = new WordTable(set.memories);
  const meaning = embedder && (await VectorTable.open(set, embedder));
  const vectors: Rank = async ({ query, scope }) => [
    ...((await meaning?.nearest(query, scope, -1)) ?? new Map<string, number>()).keys(),
  ];
  const threeTiers: Rank = async ({ query, scope }) => {
    const found = new Set(words.match(query, scope, " "));
    for (const id of (await meaning?.nearest(query, scope, 0.3))?.keys() ?? []) found.add(id);
    for (const id of found.size < limit ? words.like(query, scope) : []) found.add(id);
    return [...found].slice(0, limit);
  };
  const plain: Rank = ({ query, scope }) => words.match(query, scope, " OR ");
  const fused: Rank = async (query) => byRank([await plain(query), await vectors(query)]);
  return [
    { name: "seed: all words, then vectors >= .3, then LIKE", rank: threeTiers },
    { name: "FTS5 OR", rank: plain },
    ...(meaning === undefined
      ? []
      : [
          { name: "vectors alone", rank: vectors },
          { name: "rank fusion (60) of FTS5 OR and vectors", rank: fused },
        ]),
  ];
}

function byRank(lists: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (61 + at));
  }
  return [...scores]
    .sort(([, one], [, other]) => other - one)
    .slice(0, limit)
    .map(([id]) => id);
}

class WordTable {
  readonly #db = new DatabaseSync(":memory:");

  constructor(memories: readonly DataMemory[]) {
    this.#db.exec("create table memory (id text, scope text, text text)");
    this.#db.exec("create virtual table words using fts5 (text, tokenize = 'porter unicode61')");
    const add = this.#db.prepare("insert into memory (rowid, id, scope, text) values (?, ?, ?, ?)");
    const addWords = this.#db.prepare("insert into words (rowid, text) values (?, ?)");
    this.#db.exec("begin");
    for (const [at, { id, scope, text }] of memories.entries()) {
      add.run(at + 1, id, scope, text);
      addWords.run(at + 1, text);
    }
    this.#db.exec("commit");
  }

  match(query: string, scope: string, joint: string): string[] {
    const terms = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    if (terms.length === 0) return [];
    return this.#ids(
      "select id from words join memory on memory.rowid = words.rowid where words match ? and scope = ? order by rank limit ?",
      terms.map((term) => `"${term}"`).join(joint),
      scope,
    );
  }

  like(query: string, scope: string): string[] {
    return this.#ids("select id from memory where text like ? and scope = ? limit ?", `%${query}%`, scope);
  }

  #ids(sql: string, pattern: string, scope: string): string[] {
    return this.#db
      .prepare(sql)
      .all(pattern, scope, limit)
      .map(({ id }) => String(id));
  }
}

type ScopeVectors = ReadonlyMap<string, readonly { readonly id: string; readonly vector: Float32Array }[]>;

class VectorTable {
  readonly #embedder: Embedder;
  readonly #scopes: ScopeVectors;

  private constructor(embedder: Embedder, scopes: ScopeVectors) {
    this.#embedder = embedder;
    this.#scopes = scopes;
  }

  static async open({ memories }: DataSet, embedder: Embedder): Promise<VectorTable> {
    const rows: { id: string; scope: string; vector: Float32Array }[] = [];
    for (let start = 0; start < memories.length; start += 32) {
      const some = memories.slice(start, start + 32);
      const vectors = await embedder.embed(some.map(({ text }) => text));
      for (const [at, { id, scope }] of some.entries()) {
        rows.push({ id, scope, vector: toUnit(vectors[at] ?? new Float32Array()) });
      }
    }
    return new VectorTable(
      embedder,
      Map.groupBy(rows, ({ scope }) => scope),
    );
  }

  async nearest(query: string, scope: string, least: number): Promise<Map<string, number>> {
    const [vector = new Float32Array()] = await this.#embedder.embed([query]);
    const unit = toUnit(vector);
    return new Map(
      (this.#scopes.get(scope) ?? [])
        .map(({ id, vector: other }): [string, number] => [id, dot(unit, other)])
        .filter(([, cosine]) => cosine >= least)
        .sort(([, one], [, other]) => other - one)
        .slice(0, limit),
    );
  }
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
