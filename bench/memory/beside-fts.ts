import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../src/app/store/index.ts";
import { PlainTexts } from "./plain-texts.ts";

/** CPU-milliseconds of a search of short memories, and of the same by FTS5 as it comes, in one run. */
export interface BesideFts {
  readonly entries: number;
  readonly "haft cpu ms": number;
  readonly "FTS5 cpu ms": number;
  readonly ratio: number;
}

const searches = 300;
const rounds = 3;

/** Times two searches by words that give the ten best of one scope with their texts; the best of a few rounds counts. */
export async function measureBesideFts(entries: number): Promise<BesideFts> {
  const texts = new PlainTexts();
  const all = Array.from({ length: entries }, (_, at) => texts.text(at));
  await using store = await openStore({ path: ":memory:" });
  for (let start = 0; start < entries; start += 1000) {
    const some = all.slice(start, start + 1000);
    await store.memory.edit(
      "local",
      some.map((text) => ({ do: "create_block", entry: { kind: "memory", text } })),
      { by: "import:bench" },
    );
  }
  const plain = new DatabaseSync(":memory:");
  plain.exec("create virtual table words using fts5 (text, tokenize = 'porter unicode61')");
  const add = plain.prepare("insert into words (rowid, text) values (?, ?)");
  plain.exec("begin");
  for (const [at, text] of all.entries()) add.run(at + 1, text);
  plain.exec("commit");
  const match = plain.prepare("select rowid, text from words where words match ? order by rank limit 10");
  const byHaft = async (query: string) => store.memory.search("local", { query });
  const byFts = async (query: string) =>
    match.all((query.match(/[\p{L}\p{N}]+/gu) ?? []).map((term) => `"${term}"`).join(" OR "));
  let [haft, fts] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round <= rounds; round++) {
    haft = Math.min(haft, await measureCpu(byHaft, texts));
    fts = Math.min(fts, await measureCpu(byFts, texts));
  }
  plain.close();
  return { entries, "haft cpu ms": haft, "FTS5 cpu ms": fts, ratio: haft / fts };
}

async function measureCpu(search: (query: string) => Promise<unknown>, texts: PlainTexts): Promise<number> {
  const start = process.cpuUsage();
  for (let at = 0; at < searches; at++) await search(texts.question(at));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / searches;
}
