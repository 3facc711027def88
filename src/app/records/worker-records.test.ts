import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../test/fixtures/store/sample-call.ts";
import type { Approval } from "../../kernel/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { createKnownSecrets } from "../secrets/known-secrets.ts";
import { openStore, type Store } from "../store/index.ts";
import type { CallsPage, EventCursor, RecordEvent } from "./records.ts";
import { WorkerRecords, type WorkerRecordsOptions } from "./worker-records.ts";

interface World {
  readonly store: Store;
  readonly records: WorkerRecords;
  readonly folder: string;
}

async function makeWorld(
  options: (folder: string) => Omit<WorkerRecordsOptions, "path"> = () => ({}),
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "haft-records-"));
  const store = await openStore({ path: join(folder, "haft.db") });
  const records = new WorkerRecords({ path: store.path, ...options(folder) });
  onTestFinished(async () => {
    await records.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return { store, records, folder };
}

async function record(store: Store, callId: string): Promise<void> {
  await store.ledger.start(sampleCall(callId));
  await store.ledger.end(sampleCall(callId), sampleOutcome());
}

const never = new AbortController().signal;

test("records are read on another thread, with all that was recorded before the question", async () => {
  const { store, records } = await makeWorld();
  for (const id of ["c_1", "c_2"]) await record(store, id);
  const page = await records.listCalls({ tools: ["write_file"] });
  expect(page.rows).toEqual(await store.ledger.list());
  await record(store, "c_3");
  expect((await records.listCalls({})).rows).toHaveLength(3);
  expect(await records.findCall("c_2")).toEqual(await store.ledger.show("c_2"));
  expect(await records.findCall("c_9")).toBeUndefined();
  expect(await records.countCalls({}, "tool")).toMatchObject([{ value: "write_file", calls: 3, p50Ms: 1.5 }]);
  expect(await records.trace({ scope: "local", id: "c_1" })).toMatchObject({ kind: "call", id: "c_1" });
  const task = await store.tasks.create({ scope: "local", projectId: "app", title: "Read me" });
  expect(await records.viewTasks("local", [task])).toMatchObject([
    { id: task.id, waits: [{ for: "worker" }] },
  ]);
});

test("answers as JSON are made on the thread, without the secrets that are known when they are asked for", async () => {
  const secrets = createKnownSecrets(new Map([["FIRST", "hidden-from-the-start"]]));
  const { store, records } = await makeWorld(() => ({ secrets }));
  const call = sampleCall("c_1");
  await store.ledger.start({
    ...call,
    paramsText: '{"a":"hidden-from-the-start","b":"hidden-later-on"}',
  });
  const read = async () => {
    const { bytes } = await records.json.listCalls({});
    return { bytes, page: JSON.parse(new TextDecoder().decode(bytes)) as CallsPage };
  };
  const first = await read();
  expect(first.page.rows).toMatchObject([{ paramsText: '{"a":"[redacted:FIRST]","b":"hidden-later-on"}' }]);
  expect({ ...first.page, rows: [] }).toEqual({ ...(await records.listCalls({})), rows: [] });
  secrets.redact.learn("SECOND", "hidden-later-on");
  const later = (await read()).page.rows;
  expect(later).toMatchObject([{ paramsText: '{"a":"[redacted:FIRST]","b":"[redacted:SECOND]"}' }]);
  const counts = await records.json.countCalls({}, "tool");
  expect(JSON.parse(new TextDecoder().decode(counts.bytes))).toMatchObject([{ calls: 1 }]);
});

test("a long answer as JSON is compressed for whoever wants it so, a short one never", async () => {
  const { store, records } = await makeWorld();
  const paramsText = JSON.stringify({ content: "deploy ".repeat(1000) });
  await store.ledger.start({ ...sampleCall("c_1"), paramsText });
  const [plain, zipped, short] = await Promise.all([
    records.json.listCalls({}),
    records.gzip.listCalls({}),
    records.gzip.countCalls({}, "tool"),
  ]);
  expect([plain.encoding, zipped.encoding, short.encoding]).toEqual([undefined, "gzip", undefined]);
  expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 5);
  expect(gunzipSync(zipped.bytes)).toEqual(Buffer.from(plain.bytes));
});

test("a trace as JSON has its spans as columns, and one of nothing is undefined", async () => {
  const { store, records } = await makeWorld();
  await record(store, "c_1");
  const trace = await records.json.traceColumns({ scope: "local", id: "c_1" });
  expect(JSON.parse(new TextDecoder().decode(trace?.bytes))).toMatchObject({ id: ["c_1"], at: [0] });
  expect(await records.json.traceColumns({ scope: "local", id: "c_9" })).toBeUndefined();
});

test.runIf(process.platform === "linux")("the thread leaves the processors to the others", async () => {
  const { records } = await makeWorld();
  await records.listCalls({});
  const readNice = (stat: string) => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  const threads = readdirSync("/proc/self/task").flatMap((id) => {
    try {
      return [readNice(readFileSync(`/proc/self/task/${id}/stat`, "utf8"))];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
  const own = readNice(readFileSync(`/proc/self/task/${process.pid}/stat`, "utf8"));
  expect(Math.max(...threads)).toBeGreaterThan(own);
});

test("a verification tells how far it is, and the next goes on from its end", async () => {
  const { store, records } = await makeWorld();
  await Promise.all(Array.from({ length: 2500 }, (_, at) => store.ledger.start(sampleCall(`c_${at}`))));
  const told: [number, number][] = [];
  const first = await records.verify({ onProgress: (rows, of) => void told.push([rows, of]) });
  expect(first).toMatchObject({ valid: true, rows: 2500, since: undefined });
  expect(told).toEqual([
    [1000, 2500],
    [2000, 2500],
  ]);
  expect(await records.verify({})).toMatchObject({ valid: true, since: { seq: 2500 } });
  expect(await records.verify({ all: true })).toMatchObject({ valid: true, since: undefined });
});

test("whoever waits for many rows to be indexed is told how far it is, and of the end", async () => {
  const { store, records } = await makeWorld();
  const rows = 21_000;
  await Promise.all(Array.from({ length: rows }, (_, at) => store.ledger.start(sampleCall(`c_${at}`))));
  const told: string[] = [];
  const stop = records.onIndexing((indexing) => {
    expect(records.indexing).toEqual(indexing);
    told.push(indexing === undefined ? "end" : `${indexing.part} ${indexing.rows} of ${indexing.of}`);
  });
  await records.listCalls({ text: "nowhere at all" });
  const texts = told.splice(told.indexOf("end") + 1);
  expect(told.slice(0, 2)).toEqual([`calls 0 of ${rows}`, `calls 2000 of ${rows}`]);
  expect(texts).toEqual([...[0, 4096, 8192, 12_288, 16_384].map((at) => `texts ${at} of ${rows}`), "end"]);
  expect(records.indexing).toBeUndefined();
  told.length = 0;
  await record(store, "c_more");
  await records.listCalls({ text: "nowhere at all" });
  expect(told).toEqual([]);
  stop();
  await records.rebuild();
  expect(told).toEqual([]);
});

test("a fault of the query keeps its kind, and an aborted request rejects with its reason", async () => {
  const { records } = await makeWorld();
  await expect(records.listCalls({ limit: 5000 })).rejects.toThrow(RangeError);
  await expect(records.listCalls({}, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  const controller = new AbortController();
  const listing = records.listCalls({}, controller.signal);
  controller.abort();
  await expect(listing).rejects.toMatchObject({ name: "AbortError" });
  expect((await records.listCalls({})).rows).toEqual([]);
});

test("changes by any connection are followed, from a place or from now on", async () => {
  const { store, records } = await makeWorld();
  await record(store, "c_0");
  const controller = new AbortController();
  const followed = records.follow("now", controller.signal);
  const seen: RecordEvent[] = [];
  expect(await followed.next()).toMatchObject({ value: { events: [] } });
  const session = await store.sessions.open({ scope: "local", agentId: "ada", channel: "cli" });
  const run = await store.runs.begin({ scope: "local", kind: "turn", sessionId: session.id });
  await record(store, "c_1");
  const entry = { kind: "memory", text: "Ada likes tea." } as const;
  const [memory] = await store.memory.edit("local", [{ do: "create_block", entry }], { by: "owner:ada" });
  for await (const { events } of followed) {
    seen.push(...events);
    if (seen.some(({ kind }) => kind === "memory")) break;
  }
  const ids = seen.map(({ kind, id }) => `${kind} ${id}`);
  expect(ids).not.toContain("call c_0");
  for (const id of [`session ${session.id}`, `run ${run.id}`, "call c_1", `memory ${memory?.id}`])
    expect(ids).toContain(id);
  const beginning = { ledger: 0, event: 0 };
  const again = records.follow(beginning, never);
  expect(await again.next()).toEqual({ done: false, value: { events: [], cursor: beginning } });
  const { value } = await again.next();
  expect(value?.events.map(({ id }) => id)).toContain("c_0");
  const rest = records.follow(value?.cursor ?? beginning, controller.signal);
  await rest.next();
  const waiting = rest.next();
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

test("a follower is given what changed in 100 ms at once, so that many calls are few answers", async () => {
  const clock = createFakeClock();
  const { store, records } = await makeWorld(() => ({ clock }));
  const controller = new AbortController();
  const followed = records.follow("now", controller.signal);
  await followed.next();
  await record(store, "c_1");
  expect((await followed.next()).value?.events.map(({ id }) => id)).toContain("c_1");
  let isGiven = false;
  const later = followed.next().finally(() => (isGiven = true));
  for (const id of ["c_2", "c_3"]) await record(store, id);
  for (let turn = 0; turn < 5; turn++) await records.listCalls({});
  expect(isGiven).toBe(false);
  await clock.advance(100);
  const ids = (await later).value?.events.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["c_2", "c_3"]));
  const waiting = followed.next();
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

test("whoever follows from a place whose next events are deleted is told of the gap, once", async () => {
  const { store, records } = await makeWorld();
  for (let at = 0; at < 4; at++)
    await store.sessions.open({ scope: "local", agentId: "ada", channel: "cli" });
  using db = new DatabaseSync(store.path);
  db.exec('delete from "event" where "seq" <= 2');
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const from = async (event: number) => {
    const followed = records.follow({ ledger: 0, event }, controller.signal);
    await followed.next();
    return (await followed.next()).value;
  };
  expect(await from(1)).toMatchObject({
    isGap: true,
    events: [{ seq: 3 }, { seq: 4 }],
    cursor: { event: 4 },
  });
  expect(await from(2)).not.toHaveProperty("isGap");
  expect(await from(3)).not.toHaveProperty("isGap");
});

test("events as JSON are the latest of each thing that changed, and a gap for whoever is far behind", async () => {
  const { store, records } = await makeWorld();
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const from = async (after: EventCursor) => {
    const found: unknown[] = [];
    for await (const { events, ...rest } of records.followJson(after, controller.signal)) {
      found.push({ ...rest, events: JSON.parse(new TextDecoder().decode(events.bytes)) });
      if (found.length === 2) break;
    }
    return found;
  };
  for (const id of ["c_1", "c_2"]) await record(store, id);
  const beginning = { ledger: 0, event: 0 };
  expect(await from(beginning)).toEqual([
    { events: [], cursor: beginning },
    {
      events: [2, 4].map((seq) => ({ seq, at: expect.any(Number), kind: "call", id: `c_${seq / 2}` })),
      cursor: { ledger: 4, event: 0 },
    },
  ]);
  using db = new DatabaseSync(store.path);
  db.exec(`with recursive "n" ("seq") as (select 1 union all select "seq" + 1 from "n" where "seq" < 5000)
    insert into "event" ("seq", "at", "kind", "id") select "seq", 1, 'run', "seq" from "n"`);
  expect((await from({ ledger: 3, event: 1 }))[1]).toMatchObject({ cursor: { ledger: 4, event: 1001 } });
  expect((await from({ ledger: 3, event: 0 }))[1]).toEqual({
    events: [],
    isGap: true,
    cursor: { ledger: 4, event: 5000 },
  });
});

test("a question that is asked, answered and used, lapses or is erased, is an event each time", async () => {
  const { store, records } = await makeWorld();
  const question = (id: string): Approval => ({
    id,
    callId: `c_${id}`,
    toolName: "bash",
    toolTitle: "Run a command",
    toolVersion: "1",
    params: {},
    effects: [],
    folder: "/shop",
    reason: "no rule allows it",
    offers: [],
    scope: "local",
    agentId: undefined,
    userId: undefined,
    origin: undefined,
    project: "/shop",
    approvers: ["person:*"],
    createdAt: Date.now(),
    waitsUntil: undefined,
    expiresAt: Date.now() + 60_000,
  });
  let cursor = { ledger: 0, event: 0 };
  const readNew = async () => {
    const followed = records.follow(cursor, never);
    await followed.next();
    const { value } = await followed.next();
    if (value === undefined) throw new Error("There are no events");
    cursor = value.cursor;
    return value.events.map(({ kind, id }) => `${kind} ${id}`);
  };
  await store.approvals.open(question("a_1"), undefined);
  expect(await readNew()).toEqual(["question a_1"]);
  await store.approvals.answer("a_1", { approved: true, by: "person:ada" });
  expect(await readNew()).toEqual(["question a_1"]);
  expect(await store.approvals.claim("a_1", "c_a_1")).toBe(true);
  expect(await readNew()).toEqual(["question a_1"]);
  await store.approvals.open({ ...question("a_2"), expiresAt: Date.now() - 1 }, undefined);
  expect(await readNew()).toEqual(["question a_2"]);
  await store.approvals.open(question("a_3"), undefined);
  expect(await readNew()).toEqual(["question a_2", "question a_3"]);
  await store.approvals.remove("c_a_3");
  expect(await readNew()).toEqual(["question a_3"]);
});

test("a thread that fails is told of, and the next request starts another", async () => {
  const { store, records } = await makeWorld((folder) => {
    const entry = join(folder, "worker.ts");
    const real = new URL("./records-worker.ts", import.meta.url).href;
    const crashed = JSON.stringify(join(folder, "crashed"));
    writeFileSync(
      entry,
      `import { existsSync, writeFileSync } from "node:fs";
if (existsSync(${crashed})) await import(${JSON.stringify(real)});
else { writeFileSync(${crashed}, ""); throw new Error("no memory"); }`,
    );
    return { entry: pathToFileURL(entry) };
  });
  await record(store, "c_1");
  await expect(records.listCalls({})).rejects.toMatchObject({
    code: "RECORDS_FAILED",
    message: expect.stringContaining("no memory"),
  });
  expect((await records.listCalls({})).rows).toHaveLength(1);
});

test("the thread ends a minute after the last request, and closing ends what waits", async () => {
  const after: { ms: number; action: () => void; isCancelled: boolean }[] = [];
  const clock = {
    after: (ms: number, action: () => void) => {
      const timer = { ms, action, isCancelled: false };
      after.push(timer);
      return () => {
        timer.isCancelled = true;
      };
    },
  };
  const { records } = await makeWorld(() => ({ clock }));
  await records.listCalls({});
  const [first] = after;
  expect(first).toMatchObject({ ms: 60_000, isCancelled: false });
  await records.listCalls({});
  expect(first?.isCancelled).toBe(true);
  after.at(-1)?.action();
  expect((await records.listCalls({})).rows).toEqual([]);
  const followed = records.follow("now", never);
  await followed.next();
  const waiting = followed.next();
  const refused = expect(waiting).rejects.toMatchObject({ code: "STORE_CLOSED" });
  await records.listCalls({});
  await records.close();
  await refused;
  await expect(records.findCall("c_1")).rejects.toMatchObject({ code: "STORE_CLOSED" });
});
