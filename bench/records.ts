import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { WorkerRecords } from "../src/app/records/worker-records.ts";
import { openStore, type Store } from "../src/app/store/index.ts";
import type { RecordedCallQuery } from "../src/modules/ledger/index.ts";
import { folder, index, makeCall, makeOutcome, path, prepare, start } from "./console/million-rows.ts";
import { type Figures, runBench } from "./harness.ts";

// What it costs to read a million rows of the ledger: node bench/records.ts

const filters: Readonly<Record<string, RecordedCallQuery>> = {
  "newest page": {},
  "a tool": { tools: ["chain"] },
  "a tool that was never called": { tools: ["none"] },
  "a state that no call is in": { states: ["unknown"] },
  "a code": { codes: ["TOOL_FAILED"] },
  "a task of long ago": { taskId: "t_3" },
  "a session": { session: "s_7" },
  "an agent that is not there": { agentId: "nobody" },
  "a client and a project that never met": { client: "cursor", project: "/home/ada/project-9" },
  "a root call": { rootCallId: "c_00000000" },
  "the first hour": { until: start + 3_600_000 },
  "longer than any": { minMs: 5000 },
  "a scope": { scope: "local/b" },
  "three filters without a call": { tools: ["read"], states: ["denied"], agentId: "agent_2" },
};
const texts: Readonly<Record<string, RecordedCallQuery>> = {
  "a rare text": { text: "file-77777.ts" },
  "a text that is nowhere": { text: "nowhere at all" },
  "a common text": { text: "deploy release" },
  "a rare text of four letters": { text: "zqxj" },
};

async function timeQueries(
  list: (query: RecordedCallQuery) => Promise<unknown>,
  queries: Readonly<Record<string, RecordedCallQuery>>,
): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const [name, query] of Object.entries(queries)) {
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const begin = performance.now();
      await list(query);
      times.push(performance.now() - begin);
    }
    figures[`${name}, ms`] = times.toSorted((a, b) => a - b)[1] as number;
  }
  return { "slowest, ms": Math.max(...Object.values(figures)), ...figures };
}

async function withRecords(work: (records: WorkerRecords) => Promise<Figures>): Promise<Figures> {
  await prepare();
  const records = new WorkerRecords({ path });
  try {
    await records.listCalls({ text: "filled before it is measured", limit: 1 });
    return await work(records);
  } finally {
    await records.close();
  }
}

async function withStore(work: (store: Store) => Promise<Figures>): Promise<Figures> {
  await prepare();
  const store = await openStore({ path });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The same query for `LedgerStore.list`, as far as it can say it. */
function listBefore(store: Store, { tools: named, states, ...query }: RecordedCallQuery): Promise<unknown> {
  return store.ledger.list({
    ...query,
    ...(named?.[0] !== undefined && { tool: named[0] }),
    ...(states?.[0] !== undefined && { state: states[0] }),
  });
}

async function fill(): Promise<Figures> {
  await prepare();
  for (const end of ["", "-wal", "-shm"]) rmSync(`${index}${end}`, { force: true });
  const records = new WorkerRecords({ path });
  try {
    const begin = performance.now();
    await records.listCalls({ limit: 1 });
    const columnsMs = performance.now() - begin;
    await records.listCalls({ text: "nowhere at all", limit: 1 });
    const allMs = performance.now() - begin;
    await records.erase();
    return {
      "columns, ms": columnsMs,
      "with texts, ms": allMs,
      "index, MB": statSync(index).size / 1e6,
      "ledger, MB": statSync(path).size / 1e6,
    };
  } finally {
    await records.close();
  }
}

/** The 99th percentile of recording a call, while another thread does some work. */
async function timeCalls(work?: (records: WorkerRecords) => Promise<unknown>): Promise<Figures> {
  await prepare();
  const own = join(folder, `own-${process.pid}.db`);
  const store = await openStore({ path: own });
  const records = new WorkerRecords({ path });
  const times: number[] = [];
  let isOver = false;
  const busy = (async () => {
    while (work !== undefined && !isOver) await work(records);
  })();
  try {
    const end = performance.now() + 4000;
    for (let at = 0; performance.now() < end; at++) {
      const begin = performance.now();
      await store.ledger.start(makeCall(at));
      await store.ledger.end(makeCall(at), makeOutcome(at));
      times.push(performance.now() - begin);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    isOver = true;
    await busy;
  } finally {
    await records.close();
    await store.close();
    for (const name of ["", "-wal", "-shm", "-made", "-runs", "-artifacts"])
      rmSync(`${own}${name}`, { recursive: true, force: true });
  }
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
  return { "p50 of a call, ms": percentile(0.5), "p99 of a call, ms": percentile(0.99) };
}

const paths = ["src/app/records", "src/modules/ledger/columns", "src/db/sqlite"];
const slowest = "slowest, ms";

await runBench(import.meta.url, [
  {
    title: "The first page of 50 calls by a filter, of a million rows",
    rows: [
      {
        what: "the first page by any filter, of a million rows",
        figure: slowest,
        ours: "haft",
        floor: "floor: LedgerStore.list",
        reach: "≤ 100 ms",
        paths,
      },
    ],
    subjects: [
      {
        name: "haft",
        measure: () => withRecords((records) => timeQueries((query) => records.listCalls(query), filters)),
      },
      {
        name: "floor: LedgerStore.list",
        measure: () => withStore((store) => timeQueries((query) => listBefore(store, query), filters)),
      },
    ],
  },
  {
    title: "The first page of 50 calls by a text, of a million rows",
    rows: [
      {
        what: "the first page by a text, of a million rows",
        figure: slowest,
        ours: "haft",
        floor: "floor: LedgerStore.list",
        reach: "≤ 300 ms",
        paths,
      },
    ],
    subjects: [
      {
        name: "haft",
        measure: () => withRecords((records) => timeQueries((query) => records.listCalls(query), texts)),
      },
      {
        name: "floor: LedgerStore.list",
        measure: () => withStore((store) => timeQueries((query) => listBefore(store, query), texts)),
      },
    ],
  },
  {
    title: "Counts with exact percentiles, of a million rows",
    rows: [
      {
        what: "counts and percentiles per tool, of a million rows",
        figure: "per tool, ms",
        ours: "haft",
        paths,
      },
    ],
    subjects: [
      {
        name: "haft",
        measure: () =>
          withRecords(async (records) => {
            const times: Record<string, number> = {};
            for (const by of ["tool", "day", "agent", "code"] as const) {
              const begin = performance.now();
              await records.countCalls({}, by);
              times[`per ${by}, ms`] = performance.now() - begin;
            }
            return times;
          }),
      },
    ],
  },
  {
    title: "Filling the index with a million rows",
    rows: [
      { what: "filling the index of calls with a million rows", figure: "columns, ms", ours: "haft", paths },
      { what: "the index of a million rows", figure: "index, MB", ours: "haft", paths },
    ],
    subjects: [{ name: "haft", measure: fill }],
  },
  {
    title: "Calls while another thread fills the index, or filters a million rows",
    rows: [
      {
        what: "calls while another thread filters a million rows",
        figure: "p99 of a call, ms",
        ours: "haft, filtering",
        floor: "floor: nobody reads",
        reach: "≤ 1.05 × the floor",
        paths,
      },
    ],
    subjects: [
      {
        name: "haft, filtering",
        measure: () => timeCalls((records) => records.listCalls({ tools: ["none"] })),
      },
      {
        name: "haft, filling",
        measure: () => timeCalls((records) => records.rebuild(AbortSignal.timeout(1000)).catch(() => {})),
      },
      { name: "floor: nobody reads", measure: () => timeCalls() },
    ],
  },
]);
