import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../../test/fixtures/store/sample-call.ts";
import { openStore, type Store } from "../../../app/store/index.ts";
import { systemClock } from "../../../base/index.ts";
import { type Database, openSqliteReader } from "../../../db/index.ts";
import { type CallQuery, type CallRecord, type CallState, callStates } from "../store/ledger-store.ts";
import { blockRows } from "./call-block.ts";
import { CallColumns } from "./call-columns.ts";
import { CallIndex } from "./call-index.ts";
import { ColumnFile } from "./column-file.ts";
import type { RecordedCallQuery } from "./find-calls.ts";
import { findBits } from "./text-signature.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-columns-"));
afterAll(() => rmSync(folder, { recursive: true }));

const start = Date.UTC(2026, 0, 1);
const tools = ["read", "bash", "grep", "edit"];
const scopes = ["local", "local/a", "local/ab", "local/a/b"];
let files = 0;

interface World extends Disposable {
  readonly path: string;
  readonly indexPath: string;
  readonly store: Store;
  readonly reader: Database;
  open(): Promise<CallIndex>;
}

async function makeWorld(rows: number): Promise<World> {
  const path = join(folder, `${files++}.db`);
  const store = await openStore({ path });
  const pending: Promise<void>[] = [];
  for (let at = 0; at < rows; at++) pending.push(...record(store, at, at % 3 === 0 ? "later" : "at once"));
  await Promise.all(pending);
  const reader = await openSqliteReader({ path, clock: systemClock, busyTimeoutMs: 1000 });
  const opened: CallIndex[] = [];
  const world = {
    path,
    indexPath: `${path}-calls`,
    store,
    reader,
    open: async () => {
      const index = await CallIndex.open(reader, `${path}-calls`, systemClock);
      opened.push(index);
      return index;
    },
    [Symbol.dispose]: () => {},
  };
  onTestFinished(async () => {
    for (const index of opened) index.close();
    await reader.close();
    await store.close();
  });
  return world;
}

/** Records a call whose properties depend on its number alone. */
function record(store: Store, at: number, ends: "at once" | "later" | "never"): Promise<void>[] {
  const isRare = at % 500 === 7;
  const call = {
    ...sampleCall(`c_${at}`),
    toolName: isRare ? `rare_${at}` : (tools[at % tools.length] as string),
    scope: scopes[(at >> 3) % scopes.length] as string,
    project: ["/shop", "/site", undefined][(at >> 6) % 3],
    taskId: at % 2 === 0 ? `t_${at >> 5}` : undefined,
    session: `s_${at >> 8}`,
    agentId: at % 7 === 0 ? "ada" : undefined,
    client: at % 11 === 0 ? { name: "claude-code", version: "1" } : undefined,
    rootCallId: at % 10 === 3 ? `c_${at - 3}` : undefined,
    parentCallId: at % 10 === 3 ? `c_${at - 3}` : undefined,
    startedAt: start + at * 60_000,
    paramsText: `{"path":"/srv/Notes-${at % 40}.md","mark":"needle-${at}x"}`,
  };
  const outcome = {
    ...sampleOutcome(),
    ...(at % 13 === 0 && { success: false, code: "TOOL_FAILED" }),
    ...(at % 17 === 0 && { success: false, code: "TOOL_CANCELLED" }),
    ...(isRare && { success: false, code: `RARE_${at}` }),
    durationMs: (at * 37) % 1000,
    completedAt: call.startedAt + 5,
    text: `Result ÄÖ number ${at}`,
  };
  const written = store.ledger.start(call);
  if (ends === "never") return [written];
  if (ends === "at once") return [written, store.ledger.end(call, outcome)];
  return [written, written.then(() => store.ledger.end(call, outcome))];
}

/** The same query for `LedgerStore.list`, which takes one tool and one state. */
function toOldQuery({
  states,
  tools: named,
  ...rest
}: Omit<RecordedCallQuery, "codes" | "minMs">): CallQuery {
  return {
    ...rest,
    ...(states !== undefined && { state: states[0] as CallState }),
    ...(named !== undefined && { tool: named[0] as string }),
  };
}

async function listOld(store: Store, query: RecordedCallQuery): Promise<readonly CallRecord[]> {
  return store.ledger.list({ ...toOldQuery(query) });
}

function queries(rows: number): fc.Arbitrary<RecordedCallQuery> {
  const at = fc.nat({ max: rows + 20 });
  const time = at.map((minute) => start + minute * 60_000);
  const seq = fc.nat({ max: rows * 2 });
  return fc
    .record(
      {
        scope: fc.constantFrom(...scopes, "loc", "other"),
        tools: fc.constantFrom(...tools, "rare_507", "none").map((tool) => [tool]),
        states: fc.constantFrom(...callStates).map((state) => [state]),
        taskId: at.map((one) => `t_${one >> 5}`),
        session: at.map((one) => `s_${one >> 8}`),
        agentId: fc.constantFrom("ada", "bob"),
        client: fc.constantFrom("claude-code", "none"),
        project: fc.constantFrom("/shop", "/site", "/none"),
        rootCallId: at.map((one) => `c_${one - (one % 10)}`),
        callIds: fc.array(
          at.map((one) => `c_${one}`),
          { maxLength: 4, minLength: 1 },
        ),
        text: fc.oneof(
          at.map((one) => `NEEDLE-${one}x`),
          fc.constantFrom("notes-1", "äö number 7", "ÄÖ NUMBER 7", "", "7", "zz", "nothing of it", "\ud800"),
        ),
        since: time,
        until: time,
        before: seq,
        after: seq,
        limit: fc.integer({ min: 1, max: 60 }),
      },
      { requiredKeys: [] },
    )
    .map(({ before, after, ...query }) => ({
      ...query,
      ...(after !== undefined ? { after } : before !== undefined && { before }),
    }));
}

const bigRows = 2 * blockRows + 500;

test("every page is the one that LedgerStore.list gives", async () => {
  using world = await makeWorld(bigRows);
  const index = await world.open();
  const property = fc.asyncProperty(queries(bigRows), async (query) => {
    const page = await index.list(query);
    expect(page.rows).toEqual(await listOld(world.store, query));
  });
  await fc.assert(property, { numRuns: 300 });
});

test("what is recorded, erased and found unknown later is in the next answer of every process", async () => {
  using world = await makeWorld(blockRows);
  const indexes = [await world.open(), await world.open()];
  let next = blockRows;
  const step = fc.record({
    who: fc.nat({ max: 1 }),
    does: fc.constantFrom("calls", "many", "never", "erase", "save", "text", "rebuild"),
    of: fc.nat({ max: blockRows }),
  });
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(steps, queries(blockRows), async (all, query) => {
    for (const { who, does, of } of all) {
      const index = indexes[who] as CallIndex;
      if (does === "calls")
        for (let n = 0; n < 20; n++) await Promise.all(record(world.store, next++, "later"));
      if (does === "many")
        await Promise.all(Array.from({ length: 900 }, () => record(world.store, next++, "at once")).flat());
      if (does === "never") await Promise.all(record(world.store, next++, "never"));
      if (does === "erase") await world.store.ledger.erase(`c_${of}`, "person:ada");
      if (does === "save") await index.erase();
      if (does === "text") await index.list({ text: "needle", limit: 1 });
      if (does === "rebuild" && of % 4 === 0) await index.rebuild();
      for (const text of [`needle-${of}x`, `needle-${next - 1}x`, `number ${next - 1}`])
        expect((await index.list({ text })).rows).toEqual(await listOld(world.store, { text }));
    }
    for (const index of indexes)
      expect((await index.list(query)).rows).toEqual(await listOld(world.store, query));
  });
  await fc.assert(property, { numRuns: 12 });
});

test("a result that comes long after the signatures of its block is found by its text", async () => {
  using world = await makeWorld(5);
  const { ledger } = world.store;
  const call = { ...sampleCall("c_slow"), paramsText: '{"mark":"slow"}' };
  await ledger.start(call);
  await Promise.all(
    Array.from({ length: blockRows }, (_, at) => record(world.store, 5 + at, "at once")).flat(),
  );
  const [one, other] = [await world.open(), await world.open()];
  for (const index of [one, other]) expect((await index.list({ text: "latecomer" })).rows).toEqual([]);
  await ledger.end(call, { ...sampleOutcome(), text: "the latecomer" });
  const isFound = async (index: CallIndex) => {
    const { rows } = await index.list({ text: "latecomer" });
    expect(rows.map(({ callId, state }) => [callId, state])).toEqual([["c_slow", "completed"]]);
  };
  await isFound(one);
  await one.erase();
  for (const index of [one, other, await world.open()]) await isFound(index);
});

test("texts of a call whose eraser was killed are out of the file with the next question", async () => {
  using world = await makeWorld(5);
  const erased = "§§Ω¥€ß¶ñ×÷";
  const readSigned = async () => {
    const file = await ColumnFile.open(world.indexPath, systemClock);
    const blocks = Array.from({ length: file.readFilled()?.signed ?? 0 }, (_, block) => block);
    const signed = new Set(
      blocks.flatMap((block) =>
        findBits(erased).flatMap((bit) =>
          file.readSignature(block, bit) === undefined ? [] : `${block} ${bit}`,
        ),
      ),
    );
    file.close();
    return signed;
  };
  const { ledger } = world.store;
  const call = { ...sampleCall("c_secret"), paramsText: `{"mark":"${erased}"}` };
  await ledger.start(call);
  await ledger.end(call, sampleOutcome());
  await Promise.all(
    Array.from({ length: blockRows }, (_, at) => record(world.store, 2 * blockRows + at, "at once")).flat(),
  );
  const first = await world.open();
  await first.list({ text: "no such text" });
  const before = await readSigned();
  await ledger.erase("c_secret", "person:ada");
  await (await world.open()).list({ limit: 1 });
  expect((await readSigned()).size).toBeLessThan(before.size);
});

test("a process that fills while another begins anew begins anew, too", async () => {
  using world = await makeWorld(blockRows);
  await (await world.open()).erase();
  const more = Array.from({ length: 2 * blockRows }, (_, at) =>
    record(world.store, blockRows + at, "at once"),
  );
  await Promise.all(more.flat());
  const file = await ColumnFile.open(world.indexPath, systemClock);
  const filling = new CallColumns(world.reader, file).catchUp({ save: true });
  await new Promise((resolve) => void setImmediate(resolve));
  await file.clear();
  await filling;
  file.close();
  const expected = Array.from({ length: 3 * blockRows }, (_, at) => at).filter(
    (at) => at % tools.length === 0 && at % 500 !== 7,
  );
  const index = await world.open();
  expect(await index.count({ tools: ["read"] }, "tool")).toMatchObject([{ calls: expected.length }]);
});

test("several tools, states and codes, and a least duration, narrow the list", async () => {
  using world = await makeWorld(600);
  const index = await world.open();
  const all = await world.store.ledger.list({ limit: 1000 });
  const query: RecordedCallQuery = {
    tools: ["read", "rare_507"],
    states: ["completed", "failed"],
    minMs: 300,
    limit: 1000,
  };
  const expected = all.filter(
    ({ toolName, state, durationMs = -1 }) =>
      ["read", "rare_507"].includes(toolName) && ["completed", "failed"].includes(state) && durationMs >= 300,
  );
  expect(expected.length).toBeGreaterThan(20);
  expect((await index.list(query)).rows).toEqual(expected);
  const failed = await index.list({ codes: ["TOOL_FAILED", "RARE_7"], limit: 1000 });
  expect(failed.rows).toEqual(all.filter(({ code }) => code === "TOOL_FAILED" || code === "RARE_7"));
});

test("a page says whether there are more calls, and which is the newest", async () => {
  using world = await makeWorld(30);
  const index = await world.open();
  const [newest] = await world.store.ledger.list({ limit: 1 });
  const page = await index.list({ agentId: "ada", limit: 4 });
  expect(page).toMatchObject({ more: true, head: newest?.seq });
  const last = page.rows.at(-1)?.seq as number;
  expect(await index.list({ agentId: "ada", limit: 4, before: last })).toMatchObject({ more: false });
  await expect(index.list({ limit: 0 })).rejects.toThrow(RangeError);
});

test("counts are those of all calls, with exact percentiles", async () => {
  using world = await makeWorld(700);
  const index = await world.open();
  const calls = await world.store.ledger.list({ limit: 1000 });
  for (const [by, find] of [
    ["tool", ({ toolName }: CallRecord) => toolName],
    ["agent", ({ agentId }: CallRecord) => agentId ?? ""],
    ["client", ({ client }: CallRecord) => client?.name ?? ""],
    ["state", ({ state }: CallRecord) => state],
    ["code", ({ code }: CallRecord) => code ?? ""],
    ["hour", ({ startedAt }: CallRecord) => String(startedAt - (startedAt % 3_600_000))],
  ] as const) {
    const counts = await index.count({ project: "/shop" }, by);
    const groups = Map.groupBy(
      calls.filter(({ project }) => project === "/shop"),
      find,
    );
    expect(new Map(counts.map((count) => [count.value, count]))).toEqual(
      new Map(
        Array.from(groups, ([value, group]) => {
          const durations = group.map(({ durationMs }) => durationMs as number).sort((a, b) => a - b);
          const percentile = (part: number) => durations[Math.ceil(part * durations.length) - 1];
          return [
            value,
            {
              value,
              calls: group.length,
              failed: group.filter(({ state }) => state === "failed").length,
              stopped: group.filter(({ state }) => state === "denied" || state === "cancelled").length,
              p50Ms: percentile(0.5),
              p95Ms: percentile(0.95),
              p99Ms: percentile(0.99),
              lastAt: Math.max(...group.map(({ startedAt }) => startedAt)),
            },
          ];
        }),
      ),
    );
  }
  const hours = (await index.count({}, "hour")).map(({ value }) => Number(value));
  expect(hours).toEqual(hours.toSorted((a, b) => a - b));
});

test("nothing of an erased call is left in the file", async () => {
  using world = await makeWorld(blockRows + 10);
  const index = await world.open();
  await index.list({ text: "needle" });
  await index.erase();
  const count = () => {
    const file = new DatabaseSync(world.indexPath, { readOnly: true });
    const rows = file.prepare('select "calls" from "block_signature"').all() as { calls: Uint8Array }[];
    file.close();
    return rows.reduce(
      (sum, { calls }) =>
        sum + calls.reduce((bits, byte) => bits + byte.toString(2).replaceAll("0", "").length, 0),
      0,
    );
  };
  const before = count();
  expect(await world.store.ledger.erase("c_33", "person:ada")).toBe("erased");
  await index.erase();
  expect(before - count()).toBeGreaterThan(30);
  expect(readFileSync(`${world.indexPath}-wal`)).toHaveLength(0);
});

test("a restored copy, a damaged file and one of another version are filled anew", async () => {
  using world = await makeWorld(200);
  const index = await world.open();
  await index.erase();
  index.close();
  const other = await makeWorld(40);
  rmSync(world.indexPath, { force: true });
  const { copyFileSync, writeFileSync } = await import("node:fs");
  const foreign = await other.open();
  await foreign.erase();
  foreign.close();
  copyFileSync(other.indexPath, world.indexPath);
  const filled = await world.open();
  expect((await filled.list({ limit: 300 })).rows).toHaveLength(200);
  filled.close();
  writeFileSync(world.indexPath, "no database at all, but a text".repeat(100));
  const mended = await world.open();
  expect((await mended.list({ limit: 300 })).rows).toHaveLength(200);
  mended.close();
  const file = new DatabaseSync(world.indexPath);
  file.exec("pragma user_version = 99");
  file.close();
  expect((await (await world.open()).list({ limit: 300 })).rows).toHaveLength(200);
});

test("a verification goes on from the last, and one of all rows finds what changed before", async () => {
  using world = await makeWorld(100);
  const index = await world.open();
  const first = await index.verify();
  expect(first).toMatchObject({ valid: true, since: undefined });
  await Promise.all(record(world.store, 100, "later"));
  await world.store.ledger.erase("c_5", "person:ada");
  expect(await index.verify()).toMatchObject({
    valid: true,
    erased: 1,
    since: { seq: first.valid ? first.head.seq : 0 },
  });
  const raw = new DatabaseSync(world.path);
  for (const { name } of raw.prepare("select name from sqlite_schema where type = 'trigger'").all())
    raw.exec(`drop trigger "${String(name)}"`);
  raw.exec(`update ledger set tool_name = 'other' where seq = 3`);
  expect(await index.verify()).toMatchObject({ valid: true });
  expect(await index.verify({ all: true })).toMatchObject({ valid: false, broken: { seq: 3 } });
  raw.exec(`update ledger set hash = 'ff' where seq = (select max(seq) from ledger)`);
  raw.close();
  expect(await index.verify()).toMatchObject({ valid: false, broken: { fault: "edited" } });
});
