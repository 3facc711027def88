import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-agent-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = join(import.meta.dirname, "../fixtures/agent/drive.ts");
const scope = "local";
/** A whole proof has 500. */
const kills = Number(process.env["HAFT_KILLS"] ?? 12);
const stepsPerRun = 40;

/** Starts a process that drives a run, and resolves once it has it. */
async function startDriver(
  path: string,
  runId: string,
  leaseMs: number,
): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, [fixture, path, runId, `${stepsPerRun}`, `${leaseMs}`], {
    // One that lost its run says so, and nobody needs to read it.
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on("line", (line) => lines.push(line));
  await Promise.race([once(reader, "line"), once(child, "exit")]);
  return { child, lines };
}

async function beginRun(store: Store): Promise<{ sessionId: string; runId: string }> {
  const { id: sessionId } = await store.sessions.open({ scope, agentId: "main", channel: "test" });
  await store.sessions.post({ scope, sessionId, sender: "user", parts: [{ type: "text", text: "Do it." }] });
  const { id: runId } = await store.runs.begin({ scope, kind: "turn", sessionId });
  return { sessionId, runId };
}

function countLines(path: string): Map<string, number> {
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  return new Map(
    Object.entries(Object.groupBy(lines, (line) => line)).map(([line, all]) => [line, all?.length ?? 0]),
  );
}

/** What holds for a run that has ended, however often its processes were killed. */
async function check(path: string, store: Store, { sessionId, runId }: { sessionId: string; runId: string }) {
  expect(await store.runs.get(scope, runId)).toMatchObject({ state: "completed", steps: stepsPerRun + 1 });
  const entries = await store.sessions.entries(scope, sessionId);
  const asked = entries.flatMap((entry) =>
    entry.kind === "answer"
      ? entry.message.parts.flatMap((part, at) =>
          part.type === "call" ? [`${runId}.${entry.step}.${at}`] : [],
        )
      : [],
  );
  const results = entries.filter((entry) => entry.kind === "result");
  // Each call has one result, in the order of the calls.
  expect(results.map(({ callId }) => callId)).toEqual(asked);
  for (const tool of ["once", "slow"]) {
    const times = countLines(`${path}.${tool}`);
    expect(Array.from(times.values()).filter((count) => count > 1)).toEqual([]);
    for (const { callId, name, text, code } of results) {
      if (name !== tool || code !== undefined) continue;
      expect(times.get(/\d+/.exec(text)?.[0] ?? ""), `${callId} says "${text}"`).toBe(1);
    }
  }
  const records = await store.ledger.list({ taskId: runId, limit: 1000 });
  expect(records.filter(({ state }) => state === "started")).toEqual([]);
  for (const { callId, state } of records) {
    if (state !== "completed") continue;
    const result = results.find((one) => one.callId === callId.split("~")[0]);
    expect(result?.code, callId).toBeUndefined();
  }
  expect((await store.ledger.verify()).valid).toBe(true);
}

test("a run that is killed again and again does nothing twice that must not be, and ends", {
  timeout: 900_000,
}, async () => {
  let left = kills;
  let killed = 0;
  for (let round = 0; left > 0; round++) {
    const path = join(folder, `${round}.db`);
    await using store = await openStore({ path });
    const run = await beginRun(store);
    for (let isOver = false; !isOver; ) {
      const { child, lines } = await startDriver(path, run.runId, 0);
      const ended = once(child, "exit");
      // At a random moment of the run; the last of a round goes to its end.
      const survived = await Promise.race([
        ended.then(() => true),
        left > 0 ? sleep(Math.random() * 150).then(() => false) : ended.then(() => true),
      ]);
      if (!survived) {
        child.kill("SIGKILL");
        await ended;
        left--;
        killed++;
      }
      isOver = lines.length > 1;
    }
    await check(path, store, run);
  }
  expect(killed).toBeGreaterThanOrEqual(kills);
});

test("a process that was stopped past its lease writes nothing more once it goes on", {
  timeout: 120_000,
}, async () => {
  const path = join(folder, "stopped.db");
  await using store = await openStore({ path });
  const run = await beginRun(store);
  const first = await startDriver(path, run.runId, 400);
  const ended = once(first.child, "exit");
  let second: Awaited<ReturnType<typeof startDriver>> | undefined;
  // One that is stopped while it writes keeps everybody from writing: it is let go on, and stopped elsewhere.
  for (let attempt = 0; attempt < 20 && second === undefined; attempt++) {
    await sleep(Math.random() * 40);
    first.child.kill("SIGSTOP");
    await sleep(500);
    const next = await startDriver(path, run.runId, 60_000);
    if (next.lines[0] === "driving") second = next;
    else first.child.kill("SIGCONT");
  }
  const finished = second === undefined ? undefined : once(second.child, "exit");
  first.child.kill("SIGCONT");
  await Promise.all([ended, finished]);
  expect(second?.lines).toHaveLength(2);
  await check(path, store, run);
});
