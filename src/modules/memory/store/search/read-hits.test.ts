import { expect, test } from "vitest";
import { storeSchema } from "../../../../app/store/index.ts";
import { systemClock } from "../../../../base/index.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import { openSqlite } from "../../../../db/sqlite/sqlite.ts";
import { SqlMemory } from "../sql-memory.ts";
import type { Tables } from "../tables.ts";
import { readHits } from "./read-hits.ts";

test("an entry that was erased after it was found takes its own score with it, and nobody else's", async () => {
  const options = {
    path: ":memory:",
    schema: storeSchema,
    durability: "normal",
    busyTimeoutMs: 100,
    clock: systemClock,
  } as const;
  const db: TypedDatabase<Tables> = await openSqlite(options);
  const memory = new SqlMemory(db, { clock: systemClock, redact: undefined });
  const texts = ["first", "second", "third"];
  const entries = await memory.edit(
    "ada",
    texts.map((text) => ({ do: "create_block", entry: { kind: "memory", text } })),
    { by: "test" },
  );
  const queries = await db.queries();
  const rows = await queries.selectFrom("memory_entry").select(["seq", "text"]).orderBy("seq").execute();
  const scores = [0.9, 0.6, 0.3];
  const found = rows.map(({ seq }, at) => ({ seq, score: scores[at] ?? 0, match: "full-text" as const }));
  await memory.edit("ada", [{ do: "erase_block", id: entries[0]?.id ?? "" }], { by: "test" });
  const hits = await readHits(queries, found, { scope: "ada", window: 0, known: new Map() });
  expect(hits.map(({ entry, score }) => [entry.text, score])).toEqual([
    ["second", 0.6],
    ["third", 0.3],
  ]);
  await memory.close();
  await db.close();
});
