import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { memorySteps, textsAfter } from "../fixtures/store/memory-steps.ts";

const words = memorySteps("").map(([word]) => word);

interface Row {
  readonly id: string;
  readonly seq: number;
  readonly text: string;
  readonly version: number;
  readonly deleted: number;
  readonly versions: number;
  readonly shares: number;
}

/**
 * What must be remembered once its writer, `remember.ts`, is gone, whenever that was: each change that was acknowledged,
 * each change whole or not at all, and at most one more than was acknowledged.
 *
 * @param searched how many of the last names are looked for with their words; more than one: the whole file is checked
 */
export async function expectRemembered(
  path: string,
  { prefix, lines, searched = 2 }: { prefix: string; lines: readonly string[]; searched?: number },
): Promise<void> {
  await using store = await openStore({ path });
  if (searched > 1) expect(await store.check()).toEqual([]);
  const acknowledged = listSteps(lines);
  const kept = readKept(path, prefix);
  const lost = [...acknowledged].filter(([name, steps]) => (kept.get(name)?.steps ?? 0) < steps);
  expect(lost).toEqual([]);
  const ahead = [...kept].map(([name, { steps }]) => steps - (acknowledged.get(name) ?? 0));
  expect(ahead.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(lines.includes("closed") ? 0 : 1);
  for (const [name, { rows }] of [...kept].slice(-searched)) await expectFound(store, name, rows);
  const { entries } = await store.memory.list("local", { session: "chat", order: "position", limit: 1000 });
  expect(entries.map(({ place }) => place?.position)).toEqual(entries.map((_, index) => index + 1));
}

function listSteps(lines: readonly string[]): ReadonlyMap<string, number> {
  const steps = new Map<string, number>();
  for (const line of lines) {
    const [word = "", name = ""] = line.split(" ");
    if (words.includes(word)) steps.set(name, words.indexOf(word) + 1);
  }
  return steps;
}

/** How far each name has come; both of its entries must have come as far. */
function readKept(path: string, prefix: string) {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 30_000 });
  const rows = db
    .prepare(
      `select id, seq, text, version, deleted_at is not null as deleted,
        (select count(*) from memory_version where entry_seq = seq) as versions,
        (select count(*) from memory_share where entry_seq = seq) as shares
      from memory_entry where kind != 'message' and author = ? order by seq`,
    )
    .all(JSON.stringify({ by: `agent:${prefix}` })) as unknown as Row[];
  db.close();
  const kept = new Map<string, { readonly steps: number; readonly rows: readonly [Row, Row] }>();
  for (let index = 0; index < rows.length; index += 2) {
    const pair = [rows[index], rows[index + 1]] as [Row, Row];
    const name = pair[0].text.replace(/^(alpha|gamma)/u, "");
    kept.set(name, { steps: stepsDone(name, pair), rows: pair });
  }
  return kept;
}

function stepsDone(name: string, rows: readonly [Row, Row]): number {
  const states = rows.map(({ text, version, versions, deleted, shares }) => [
    text,
    version,
    versions,
    deleted,
    shares,
  ]);
  const [before, after] = [textsAfter(1, name), textsAfter(2, name)];
  const sound = [
    [
      [before[0], 1, 0, 0, 0],
      [before[1], 1, 0, 0, 0],
    ],
    [
      [after[0], 2, 1, 0, 0],
      [after[1], 2, 1, 0, 0],
    ],
    [
      [after[0], 2, 1, 0, 1],
      [after[1], 3, 2, 1, 0],
    ],
  ];
  const done = sound.findIndex((state) => JSON.stringify(state) === JSON.stringify(states)) + 1;
  expect(done, `half a change: ${JSON.stringify(states)}`).toBeGreaterThan(0);
  return done;
}

/** It is found by what it says now, by all who have it, and not by what it said. */
async function expectFound(store: Store, name: string, rows: readonly [Row, Row]): Promise<void> {
  const steps = stepsDone(name, rows);
  const find = async (scope: string, query: string) => {
    const { hits } = await store.memory.search(scope, { query, mode: "words", with: ["deleted"] });
    // By the index: what is found by a stretch of characters is read from the rows.
    return hits.flatMap(({ entry, match }) => (match === "full-text" ? [entry.id] : []));
  };
  for (const [index, row] of rows.entries()) {
    const now = textsAfter(steps, name)[index] ?? "";
    expect(await find("local", now)).toEqual([row.id]);
    if (steps > 1) expect(await find("local", textsAfter(1, name)[index] ?? "")).toEqual([]);
    expect(await find("other", now)).toEqual(steps === 3 && index === 0 ? [row.id] : []);
  }
}
