import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, expect, test, vi } from "vitest";
import { sampleCall, sampleOutcome } from "../../../../test/fixtures/store/sample-call.ts";
import { openStore, type Store } from "../../../app/store/index.ts";
import { systemClock } from "../../../base/index.ts";
import { SqliteConnection } from "../../../db/sqlite/sqlite-connection.ts";
import { kyselyOver } from "../../../db/sqlite/sqlite-driver.ts";
import { blockRows, fillSql } from "./block-index.ts";
import { findRanges } from "./block-ranges.ts";
import { listCalls } from "./call-records.ts";
import type { CallQuery, CallRecord } from "./ledger-store.ts";
import type { Tables } from "./tables.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-blocks-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const projects = ["/shop", "/site", undefined];
const tools = ["read", "bash", "grep"];
const many = 5 * blockRows;

let files = 0;

/** A store with calls in several blocks: most are alike, and each block has one of a kind. */
async function makeStore(): Promise<{ readonly path: string; readonly store: Store }> {
  const path = join(folder, `${files++}.db`);
  const store = await openStore({ path });
  const pending: Promise<void>[] = [];
  for (let at = 0; at < many / 2; at++) {
    const isOdd = at % 400 === 7;
    const call = {
      ...sampleCall(`c_${at}`),
      toolName: isOdd ? `rare_${at}` : (tools[at % tools.length] as string),
      project: projects[Math.floor(at / 700) % projects.length],
      taskId: at % 2 === 0 ? `t_${at >> 6}` : undefined,
      session: `s_${at >> 8}`,
      agentId: at < 900 ? "early" : undefined,
      client: at > 1200 ? { name: "late", version: "1" } : undefined,
      startedAt: start + at * 60_000,
    };
    const outcome = isOdd ? { ...sampleOutcome(), success: false, code: "TOOL_FAILED" } : sampleOutcome();
    if (at === 100 || at === 2000) continue;
    if (at % 5 !== 0) pending.push(store.ledger.start(call));
    if (at !== 151) pending.push(store.ledger.end(call, outcome));
  }
  await Promise.all(pending);
  return { path, store };
}

async function listAll(store: Store): Promise<readonly CallRecord[]> {
  const found: CallRecord[] = [];
  for (let after = 0; ; after = found.at(-1)?.seq ?? 0) {
    const page = await store.ledger.list({ after, limit: 1000 });
    found.push(...page);
    if (page.length < 1000) return found.toReversed();
  }
}

function fits(call: CallRecord, query: CallQuery): boolean {
  const { tool, state, taskId, agentId, project, client, session, since, until, before, after } = query;
  return (
    (tool === undefined || call.toolName === tool) &&
    (state === undefined || call.state === state) &&
    (taskId === undefined || call.taskId === taskId) &&
    (agentId === undefined || call.agentId === agentId) &&
    (project === undefined || call.project === project) &&
    (client === undefined || call.client?.name === client) &&
    (session === undefined || call.session === session) &&
    (since === undefined || call.startedAt >= since) &&
    (until === undefined || call.startedAt < until) &&
    (before === undefined || call.seq < before) &&
    (after === undefined || call.seq > after)
  );
}

const perhaps = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const times = [start - hour, start, start + 7 * hour + 5, start + 20 * hour, start + 99 * hour];
const queries = fc.record(
  {
    tool: perhaps([...tools, "rare_407", "rare_1607", "none"]),
    state: perhaps(["completed", "failed", "denied", "unknown", "started"] as const),
    taskId: perhaps(["t_3", "t_30", "none"]),
    agentId: perhaps(["early", "none"]),
    project: perhaps(["/shop", "/site", "/none"]),
    client: perhaps(["late", "none"]),
    session: perhaps(["s_2", "s_9", "none"]),
    since: perhaps(times),
    until: perhaps(times),
    before: perhaps([1, 1024, 3000]),
    after: perhaps([0, 1024, 2047, 4000]),
    limit: perhaps([1, 50, 1000]),
  },
  { requiredKeys: [] },
);

test("LedgerStore.list() finds by its blocks what reading the whole ledger finds, also where rows are not noted", async () => {
  const { path, store } = await makeStore();
  const all = await listAll(store);
  expect(all.length).toBe(many / 2 - 2);
  const check = () =>
    fc.assert(
      fc.asyncProperty(queries, async (given) => {
        const query = Object.fromEntries(
          Object.entries(given).filter(([, value]) => value !== undefined),
        ) as CallQuery;
        const { limit = 50, after } = query;
        const expected = (after === undefined ? all : all.toReversed()).filter((call) => fits(call, query));
        const found = await store.ledger.list(query);
        expect(found.map(({ seq }) => seq)).toEqual(expected.slice(0, limit).map(({ seq }) => seq));
      }),
      { numRuns: 300 },
    );
  await check();

  // As it is where an older haft wrote rows beside this one, which then writes again.
  const db = new DatabaseSync(path);
  const readEntries = () =>
    db.prepare("select * from ledger_block order by kind, value, project, block").all();
  const entries = readEntries();
  db.exec(`delete from ledger_block where block >= 2; update ledger_head set noted = ${2 * blockRows - 1}`);
  await check();
  await store.ledger.end({ ...sampleCall("c_again"), project: "/shop" }, sampleOutcome());
  expect(db.prepare("select seq = noted as whole from ledger_head").get()).toEqual({ whole: 1 });
  expect(readEntries()).toEqual(expect.arrayContaining(entries));
  expect(await store.ledger.list({ tool: "write_file" })).toHaveLength(1);
  expect(await store.ledger.list({ tool: "rare_1607" })).toHaveLength(1);
  db.exec("delete from ledger_block");
  const { seq } = db.prepare("select seq from ledger_head").get() as { seq: number };
  for (const sql of fillSql) db.prepare(sql).run(1, seq + 1);
  expect(readEntries()).toEqual(expect.arrayContaining(entries));
  db.close();
  await store.close();
});

test("a value is in the index of blocks also where the first attempt to write its row failed", async () => {
  const path = join(folder, `${files++}.db`);
  await using store = await openStore({ path });
  await store.ledger.end(sampleCall("c_1"), sampleOutcome());
  const db = new DatabaseSync(path);
  db.exec(
    "create trigger full before update on ledger_head begin select raise(abort, 'there is no space'); end",
  );
  const call = { ...sampleCall("c_2"), toolName: "rare" };
  await expect(store.ledger.start(call)).rejects.toMatchObject({ code: "STORE_FAILED" });
  db.exec("drop trigger full");
  db.close();
  await store.ledger.start(call);
  expect(await store.ledger.list({ tool: "rare" })).toMatchObject([{ callId: "c_2" }]);
});

test("a search that finds nothing reads no row of the ledger, and looks its blocks up by their key", async () => {
  const { path, store } = await makeStore();
  await store.close();
  await (await openStore({ path })).close(); // The call that has not ended is found unknown.
  const raw = new DatabaseSync(path);
  const connection = new SqliteConnection(raw, {
    path,
    busyTimeoutMs: 1000,
    clock: systemClock,
  });
  const prepare = vi.spyOn(connection, "prepareQuery");
  const db = kyselyOver<Tables>(connection);
  const nothing: readonly CallQuery[] = [
    { tool: "none" },
    { tool: "rare_7", project: "/none" },
    { state: "denied" },
    { state: "started" },
    { taskId: "none" },
    { session: "none" },
    { client: "none", project: "/shop" },
    { project: "/none" },
    { since: start + 99 * hour },
    { until: start - hour },
    { tool: "rare_1607", state: "unknown", since: start },
  ];
  for (const query of nothing) expect(await listCalls(db, query)).toEqual([]);
  const statements = prepare.mock.calls.map(([sql]) => sql);
  expect(statements.length).toBeGreaterThan(nothing.length);
  expect(statements.filter((sql) => /"ledger"/.test(sql))).toEqual([]);
  const plans = statements.flatMap((sql) =>
    raw
      .prepare(`explain query plan ${sql}`)
      .all(...(sql.match(/\?/g) ?? []).map(() => "x"))
      .map((step) => String(step["detail"])),
  );
  expect(plans.filter((step) => /SCAN ledger_block/.test(step))).toEqual([]);
  expect(
    plans.filter((step) => /SEARCH ledger_block USING PRIMARY KEY \(kind=\?/.test(step)).length,
  ).toBeGreaterThan(nothing.length - 2);
  expect(await findRanges(db, { tool: "rare_407" })).toHaveLength(1);

  prepare.mockClear();
  expect(await listCalls(db, { callIds: ["c_1", "c_2"] })).toHaveLength(2);
  const [byId = ""] = prepare.mock.calls.map(([sql]) => sql);
  const steps = raw.prepare(`explain query plan ${byId}`).all("c_1", "c_2", 50);
  expect(steps.map(({ detail }) => detail)).toContain("SEARCH first USING INDEX ledger_call (call_id=?)");
  await db.destroy();
  connection.close();
});
