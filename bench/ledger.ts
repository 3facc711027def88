import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../src/app/store/index.ts";
import type { Durability } from "../src/db/index.ts";
import type { LedgerCall, LedgerOutcome } from "../src/kernel/index.ts";
import { type Figures, runBench } from "./harness.ts";

// What it costs to record calls, to open the store, and to keep 50 MB of output: node bench/ledger.ts

const perCall = "µs per call";
const floorMs = 150;
/** Until the engine has compiled what runs often. */
const warmMs = 400;
const measureMs = 300;

const call: LedgerCall = {
  callId: "c_mfy3k2ab_x7k2p0",
  toolName: "write_file",
  toolVersion: "1",
  scope: "local",
  taskId: undefined,
  agentId: "writer",
  userId: undefined,
  channel: "mcp",
  client: { name: "a-client", version: "1.2" },
  session: undefined,
  project: "/home/ada/project",
  parentCallId: undefined,
  rootCallId: undefined,
  params: { path: "/home/ada/project/src/index.ts", content: "x".repeat(150) },
  paramsText: `{"path":"/home/ada/project/src/index.ts","content":"${"x".repeat(150)}"}`,
  idempotent: false,
  decision: { decision: "allow", by: "default" },
  startedAt: 1_767_225_600_000,
};

const outcome: LedgerOutcome = {
  success: true,
  code: undefined,
  text: "wrote 150 characters to /home/ada/project/src/index.ts",
  notes: [],
  artifactId: undefined,
  stillRunning: false,
  completedAt: 1_767_225_600_002,
  durationMs: 1.5,
};

/** What a floor writes for a row: the facts of half a call, without a chain, a digest or an index. */
const line = `${JSON.stringify({ ...call, params: undefined, at: 1, event: "started" })}\n`;

async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Repeats `write`, which writes `rows` rows, and says how many come to a second. */
function timeRows(rows: number, write: () => void): Figures {
  for (let warm = 0; warm < 3; warm++) write();
  let written = 0;
  const begin = performance.now();
  while (performance.now() - begin < floorMs) {
    write();
    written += rows;
  }
  return toFigures(written, performance.now() - begin);
}

function toFigures(rows: number, ms: number): Figures {
  return { "rows/s": (rows / ms) * 1000, [perCall]: (ms * 2000) / rows };
}

function jsonLines(batch: number, durability: Durability): Promise<Figures> {
  return inFolder((folder) => {
    const file = openSync(join(folder, "ledger.jsonl"), "a");
    const text = line.repeat(batch);
    const figures = timeRows(batch, () => {
      writeSync(file, text);
      if (durability === "full") fdatasyncSync(file);
    });
    closeSync(file);
    return figures;
  });
}

function bareSqlite(batch: number, durability: Durability): Promise<Figures> {
  return inFolder((folder) => {
    const db = new DatabaseSync(join(folder, "bare.db"));
    db.exec(`pragma journal_mode = wal; pragma synchronous = ${durability}`);
    db.exec("create table row (seq integer primary key, call_id text, event text, text text) strict");
    const insert = db.prepare("insert into row (call_id, event, text) values (?, ?, ?)");
    const figures = timeRows(batch, () => {
      db.exec("begin immediate");
      for (let count = 0; count < batch; count++) insert.run(call.callId, "started", line);
      db.exec("commit");
    });
    db.close();
    return figures;
  });
}

function haft(callers: number, durability: Durability): Promise<Figures> {
  return inFolder(async (folder) => {
    const store = await openStore({ path: join(folder, "haft.db"), durability });
    let calls = 0;
    const recordUntil = async (end: number) => {
      while (performance.now() < end) {
        const mine = { ...call, callId: `${call.callId}${calls++}` };
        await store.ledger.start(mine);
        await store.ledger.end(mine, outcome);
      }
    };
    const run = (ms: number) => {
      const end = performance.now() + ms;
      return Promise.all(Array.from({ length: callers }, () => recordUntil(end)));
    };
    await run(warmMs);
    calls = 0;
    const begin = performance.now();
    await run(measureMs);
    const ms = performance.now() - begin;
    await store.close();
    return toFigures(calls * 2, ms);
  });
}

async function timeOpening(open: (path: string) => Promise<() => unknown>): Promise<Figures> {
  return inFolder(async (folder) => {
    const path = join(folder, "haft.db");
    await (await openStore({ path })).close();
    const times: number[] = [];
    for (let count = 0; count < 20; count++) {
      const begin = performance.now();
      const close = await open(path);
      times.push(performance.now() - begin);
      await close();
    }
    const [first = 0, ...later] = times;
    return { "first, ms": first, "later, ms": later.toSorted((a, b) => a - b)[9] ?? 0 };
  });
}

const fiftyMegabytes = 50_000_000;

type Keep = (text: string) => unknown;

async function timeKeeping(
  prepare: (folder: string) => Promise<{ keep: Keep; close: () => unknown }>,
): Promise<Figures> {
  return inFolder(async (folder) => {
    const text = "0123456789abcde\n".repeat(fiftyMegabytes / 16);
    const { keep, close } = await prepare(folder);
    const begin = performance.now();
    await keep(text);
    const ms = performance.now() - begin;
    await close();
    return { ms };
  });
}

function recording(title: string, callers: number, durability: Durability) {
  return {
    title,
    rows: [
      {
        what: `the ledger: ${title.toLowerCase()}`,
        figure: perCall,
        ours: "haft",
        floor: "floor: bare node:sqlite",
        paths: ["src/db", "src/modules/ledger", "src/modules/chain"],
      },
    ],
    subjects: [
      { name: "floor: JSON lines", measure: () => jsonLines(callers, durability) },
      { name: "floor: bare node:sqlite", measure: () => bareSqlite(callers, durability) },
      { name: "haft", measure: () => haft(callers, durability) },
    ],
  };
}

await runBench(import.meta.url, [
  recording("One caller, survives a kill (normal)", 1, "normal"),
  recording("100 callers, survives a kill (normal)", 100, "normal"),
  recording("One caller, survives loss of power (full)", 1, "full"),
  recording("100 callers, survives loss of power (full)", 100, "full"),
  {
    title: "Opening a store there is",
    rows: [
      {
        what: "opening a store there is",
        figure: "later, ms",
        ours: "haft",
        floor: "floor: node:sqlite, one query",
        paths: ["src/db", "src/app/store"],
      },
    ],
    subjects: [
      {
        name: "floor: node:sqlite, one query",
        measure: () =>
          timeOpening(async (path) => {
            const db = new DatabaseSync(path);
            db.prepare("select count(*) from ledger").get();
            return () => db.close();
          }),
      },
      {
        name: "haft",
        measure: () =>
          timeOpening(async (path) => {
            const store = await openStore({ path });
            return () => store.close();
          }),
      },
    ],
  },
  {
    title: "Keeping 50 MB of text",
    rows: [
      {
        what: "keeping 50 MB of text",
        figure: "ms",
        ours: "haft",
        floor: "floor: writeFileSync",
        paths: ["src/modules/artifacts", "src/app/store"],
      },
    ],
    subjects: [
      {
        name: "floor: writeFileSync",
        measure: () =>
          timeKeeping(async (folder) => ({
            keep: (text) => writeFileSync(join(folder, "artifact"), text),
            close: () => {},
          })),
      },
      {
        name: "haft",
        measure: () =>
          timeKeeping(async (folder) => {
            const store = await openStore({ path: join(folder, "haft.db") });
            const artifact = { scope: "local", callId: "c", kind: "output", mimeType: "text/plain" } as const;
            return { keep: (data) => store.artifacts.put({ ...artifact, data }), close: () => store.close() };
          }),
      },
    ],
  },
]);
