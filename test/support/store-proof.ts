import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { openStore } from "../../src/app/store/index.ts";

export interface Writer {
  /** All its names begin so. */
  readonly prefix: string;
  /** What it acknowledged. */
  readonly lines: readonly string[];
  /** How many steps it had under way at once. @default 1 */
  readonly lanes?: number;
}

/**
 * What a store must hold once its writer, `cycle.ts`, is gone, whenever that was: all that was acknowledged, each
 * once, in a chain that is whole, and no more beside than what was under way.
 */
export async function expectNothingLost(path: string, { prefix, lines, lanes = 1 }: Writer): Promise<void> {
  // A writer that begins finds calls unknown itself; it may be at it, or be killed before it is done.
  const { integrity, kept, lost } = await whenSettled(
    () => prove(path, prefix, lines),
    ({ lost, kept }) =>
      !lost.every(isUnfound) || (lost.length === 0 && !Array.from(kept.calls.values()).includes("started")),
  );
  expect(integrity).toEqual([{ integrity_check: "ok" }]);
  expect(lost).toEqual([]);
  for (const table of tables) {
    const strange = [...kept[table]].filter(([, state]) => !soundStates[table].includes(state));
    expect(strange).toEqual([]);
    const unacknowledged = kept[table].size - namesAfter(firstWords[table], lines).length;
    expect(unacknowledged).toBeLessThanOrEqual(lines.includes("closed") ? 0 : lanes);
  }
}

const isUnfound = (lost: string): boolean => lost.endsWith(": started");

async function prove(path: string, prefix: string, lines: readonly string[]) {
  {
    await using store = await openStore({ path });
    expect(await store.ledger.verify()).toMatchObject({ valid: true });
  }
  const { integrity, kept } = await whenSettled(() => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 30_000 });
    try {
      return { integrity: db.prepare("pragma integrity_check").all(), kept: readKept(db, prefix) };
    } finally {
      db.close();
    }
  });
  const lost: string[] = [];
  for (const [word, table, states] of promises) {
    for (const name of namesAfter(word, lines)) {
      const state = kept[table].get(name);
      if (state === undefined || !states.includes(state)) lost.push(`${word} ${name}: ${state}`);
    }
  }
  return { integrity, kept, lost };
}

const mostTries = 300;

/**
 * Reads again while another writer, which was killed or begins, is at work on the store: it has locked it, or what was read is
 * not settled yet. The last reading stands, whatever it is.
 */
async function whenSettled<Read>(
  read: () => Read | Promise<Read>,
  isSettled: (found: Read) => boolean = () => true,
): Promise<Read> {
  for (let tries = 1; ; tries++) {
    try {
      const found = await read();
      if (tries === mostTries || isSettled(found)) return found;
    } catch (error) {
      if (tries === mostTries || !(error instanceof Error) || !error.message.includes("locked")) throw error;
    }
    await new Promise((later) => void setTimeout(later, 100));
  }
}

const tables = ["calls", "grants", "approvals"] as const;
type Table = (typeof tables)[number];

/** What each acknowledgement says of a row; a later step of the same name may have gone on from there. */
const promises: readonly (readonly [word: string, table: Table, states: readonly string[]])[] = [
  ["asked", "approvals", ["pending", "approved", "used"]],
  ["answered", "approvals", ["approved", "used"]],
  ["claimed", "approvals", ["used"]],
  ["granted", "grants", ["stands", "revoked"]],
  ["started", "calls", ["started,ended", "started,unknown"]],
  ["ended", "calls", ["started,ended"]],
  ["revoked", "grants", ["revoked"]],
];

/** A row that is there twice has two of them. */
const soundStates: Readonly<Record<Table, readonly string[]>> = {
  calls: ["started,ended", "started,unknown"],
  grants: ["stands", "revoked"],
  approvals: ["pending", "approved", "used"],
};

const firstWords: Readonly<Record<Table, string>> = {
  calls: "started",
  grants: "granted",
  approvals: "asked",
};

/** Every row of those names, with all the states it is in. */
function readKept(db: DatabaseSync, prefix: string): Record<Table, ReadonlyMap<string, string>> {
  const read = (table: string, name: string, states: string) => {
    const rows = db
      .prepare(
        `select ${name} as name, group_concat(${states}) as state from ${table} where substr(${name}, 1, ?) = ? group by ${name}`,
      )
      .all(prefix.length, prefix) as { readonly name: string; readonly state: string }[];
    return new Map(rows.map(({ name, state }) => [name, state]));
  };
  return {
    calls: read("ledger", "call_id", "event order by seq"),
    grants: read("tool_grant", "tool_name", "case when revoked_at is null then 'stands' else 'revoked' end"),
    approvals: read("approval", "tool_name", "state"),
  };
}

function namesAfter(word: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}
