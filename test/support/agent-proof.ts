import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../src/app/store/index.ts";
import type { ResultEntry } from "../../src/modules/sessions/index.ts";

/** The stored parts that tell what became of a run. */
export interface ProofStore {
  readonly sessions: Pick<Store["sessions"], "entries">;
  readonly runs: Pick<Store["runs"], "get">;
  readonly ledger: Pick<Store["ledger"], "list" | "verify">;
}

/** A run that `test/fixtures/agent/drive.ts` drove to its end, however often it was killed on the way. */
export interface ProvenRun {
  /** The path of the database. The effects of tools are in files beside it. */
  readonly path: string;
  readonly scope: string;
  readonly sessionId: string;
  readonly runId: string;
  /** How many answers it makes calls in. */
  readonly steps: number;
}

/** Tools whose effect must not happen twice. */
const onceTools = ["once", "slow"] as const;

/** All that is wrong with a run that should have ended: each a sentence. */
export async function findFaults(
  store: ProofStore,
  run: ProvenRun,
  /** How often it is looked whether a process has gone, each 10 ms. */
  looks: number = 3000,
): Promise<readonly string[]> {
  const { path, scope, sessionId, runId, steps } = run;
  const faults: string[] = [];
  const ended = await store.runs.get(scope, runId);
  if (ended?.state !== "completed" || ended.why !== "end" || ended.steps !== steps + 1)
    faults.push(`the run is ${ended?.state}, because of ${ended?.why}, after ${ended?.steps} answers`);
  const entries = await store.sessions.entries(scope, sessionId);
  const answers = entries.filter((entry) => entry.kind === "answer");
  const numbers = answers.map(({ step }) => step).join();
  if (numbers !== Array.from({ length: steps + 1 }, (_, at) => at + 1).join())
    faults.push(`its answers are ${numbers}`);
  const asked = answers.flatMap(({ step, message: { parts } }) =>
    parts.filter(({ type }) => type === "call").map((_, at) => `${runId}.${step}.${at + 1}`),
  );
  const results = entries.filter((entry) => entry.kind === "result");
  if (results.map(({ callId }) => callId).join() !== asked.join())
    faults.push("the results are not those of its calls, one each and in their order");
  for (const tool of onceTools) faults.push(...findDoubles(tool, readLines(`${path}.${tool}`), results));
  for (const { callId, state } of await store.ledger.list({ taskId: runId, limit: 1000 })) {
    if (state === "started") faults.push(`the call ${callId} is said to be under way`);
    const result = results.find((one) => one.callId === callId.split("~")[0]);
    if (state === "completed" && (result === undefined || result.failed))
      faults.push(`the call ${callId} ended, and its result is not in the session`);
  }
  if (!(await store.ledger.verify()).valid) faults.push("the ledger does not verify");
  for (const pid of readLines(`${path}.pids`))
    if (!(await isGone(Number(pid), looks))) faults.push(`the process ${pid} was left behind`);
  return faults;
}

function findDoubles(tool: string, lines: readonly string[], results: readonly ResultEntry[]): string[] {
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  const doubles = Array.from(times).filter(([, count]) => count > 1);
  const unmade = results.filter(
    ({ name, failed, text }) => name === tool && !failed && !times.has(/\d+/.exec(text)?.[0] ?? ""),
  );
  return [
    ...doubles.map(([n, count]) => `${tool} ${n} happened ${count} times`),
    ...unmade.map(({ callId, text }) => `${callId} says "${text}", and it did not happen`),
  ];
}

function readLines(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
}

/** A process ends a moment after the one that started it. */
async function isGone(pid: number, looks: number): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(10);
  }
  return false;
}

/** Numbers from 0 up to 1 that are the same for the same seed. */
export function seedRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
