import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { findFaults, type ProofStore, type ProvenRun, seedRandom } from "../support/agent-proof.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-agent-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = join(import.meta.dirname, "../fixtures/agent/drive.ts");
const scope = "local";
/** A whole proof has 500. */
const kills = Number(process.env["HAFT_KILLS"] ?? 12);
const stops = Math.ceil(kills / 10);
/** A failed round names its seed, which repeats its moments. */
const firstSeed = Number(process.env["HAFT_SEED"] ?? Date.now() % 1_000_000);
const steps = 40;

interface Driver {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** What it has said: "driving" once it has the run, and then how that ended. */
  readonly lines: readonly string[];
  /** Resolves in the middle of the slow call of this number, from 1. */
  readonly slow: (number: number) => Promise<void>;
}

/** Starts a process that drives a run, and resolves once it has it or has ended. */
async function startDriver({ path, runId }: ProvenRun, leaseMs: number): Promise<Driver> {
  const child = spawn(process.execPath, [fixture, path, runId, `${steps}`, `${leaseMs}`], {
    // One that lost its run says so, and nobody needs to read it.
    stdio: ["ignore", "pipe", "ignore"],
    // A process that starts sooner can be killed sooner.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const middles: (() => void)[] = [];
  let slow = 0;
  reader.on("line", (line) => {
    if (line !== "slow") lines.push(line);
    else middles[++slow]?.();
  });
  const ended = once(child, "close");
  await Promise.race([once(reader, "line"), ended]);
  return {
    child,
    ended,
    lines,
    slow: (number) =>
      new Promise((resolve) => {
        middles[number] = resolve;
      }),
  };
}

async function beginRun(store: Store, path: string): Promise<ProvenRun> {
  const { id: sessionId } = await store.sessions.open({ scope, agentId: "main", channel: "test" });
  await store.sessions.post({ scope, sessionId, sender: "user", parts: [{ type: "text", text: "Do it." }] });
  const { id: runId } = await store.runs.begin({ scope, kind: "turn", sessionId });
  return { path, scope, sessionId, runId, steps };
}

test("findFaults() sees each fault that kills are searched for", async () => {
  const path = join(folder, "seen.db");
  await using store = await openStore({ path });
  const run = await beginRun(store, path);
  await (await startDriver(run, 60_000)).ended;
  expect(await findFaults(store, run)).toEqual([]);
  const { sessions, runs, ledger } = store;
  const over = (parts: Partial<ProofStore>) => findFaults({ sessions, runs, ledger, ...parts }, run, 3);

  const effects = readFileSync(`${path}.once`, "utf8");
  appendFileSync(`${path}.once`, "10\n");
  expect(await over({})).toEqual(["once 10 happened 2 times"]);
  writeFileSync(`${path}.once`, effects.replace("10\n", ""));
  expect(await over({})).toEqual([expect.stringContaining("it did not happen")]);
  writeFileSync(`${path}.once`, effects);

  const lost = `${run.runId}.3.1`;
  const entries: Store["sessions"]["entries"] = async (...query) =>
    (await sessions.entries(...query)).filter((entry) => entry.kind !== "result" || entry.callId !== lost);
  expect(await over({ sessions: { entries } })).toEqual([
    "the results are not those of its calls, one each and in their order",
    `the call ${lost} ended, and its result is not in the session`,
  ]);

  const get: Store["runs"]["get"] = async (...which) => {
    const there = await runs.get(...which);
    return there && { ...there, state: "running", why: undefined };
  };
  expect(await over({ runs: { get } })).toEqual([
    `the run is running, because of undefined, after ${steps + 1} answers`,
  ]);

  const orphan = spawn("sleep", ["6007"], { stdio: "ignore" });
  appendFileSync(`${path}.pids`, `${orphan.pid}\n`);
  expect(await over({})).toEqual([`the process ${orphan.pid} was left behind`]);
  orphan.kill("SIGKILL");
  await once(orphan, "close");

  const database = new DatabaseSync(path);
  database.exec(
    `drop trigger ledger_no_update; update ledger set summary = 'another' where call_id = '${lost}'`,
  );
  database.close();
  expect(await over({})).toEqual(["the ledger does not verify"]);
});

test("a run that is killed again and again does nothing twice that must not be, and ends", {
  timeout: 1_800_000,
}, async () => {
  let left = kills;
  for (let seed = firstSeed; left > 0; seed++) {
    const random = seedRandom(seed);
    const path = join(folder, `${seed}.db`);
    await using store = await openStore({ path });
    const run = await beginRun(store, path);
    for (let isOver = false; !isOver; ) {
      const { child, ended, lines, slow } = await startDriver(run, 0);
      // At a random moment of the run, or in the middle of a call; the last of a round goes to its end.
      const hasEnded = ended.then(() => true);
      const moment =
        random() < 0.5 ? sleep(random() * 150, false) : slow(1 + Math.floor(random() * 4)).then(() => false);
      const survived = await (left > 0 ? Promise.race([hasEnded, moment]) : hasEnded);
      if (!survived) {
        child.kill("SIGKILL");
        await ended;
        left--;
      }
      isOver = lines.length > 1;
    }
    expect(await findFaults(store, run), `HAFT_SEED=${seed}, ${left} kills left`).toEqual([]);
  }
});

test("a process that was stopped past its lease writes nothing more once it goes on", {
  timeout: 1_800_000,
}, async () => {
  let overtaken = 0;
  for (let seed = firstSeed; overtaken < stops && seed < firstSeed + 5 * stops; seed++) {
    const random = seedRandom(seed);
    const path = join(folder, `stopped-${seed}.db`);
    await using store = await openStore({ path });
    const run = await beginRun(store, path);
    const first = await startDriver(run, 400);
    let second: Driver | undefined;
    // A process that is stopped while it writes blocks all others: it is continued, and stopped elsewhere.
    while (second === undefined && first.lines.length === 1) {
      await sleep(random() * 150);
      first.child.kill("SIGSTOP");
      await sleep(500);
      const next = await startDriver(run, 60_000);
      if (next.lines[0] === "driving") second = next;
      else first.child.kill("SIGCONT");
    }
    // It wakes while the other drives the run, or once that has ended.
    await sleep(random() * 300);
    first.child.kill("SIGCONT");
    await Promise.all([first.ended, second?.ended]);
    const context = `HAFT_SEED=${seed}`;
    expect(await findFaults(store, run), context).toEqual([]);
    if (second === undefined) continue;
    expect([first.lines.length, second.lines.length], context).toEqual([1, 2]);
    overtaken++;
  }
  expect(overtaken).toBe(stops);
});
