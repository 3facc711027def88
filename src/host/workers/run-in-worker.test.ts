import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { runInWorker } from "./run-in-worker.ts";

/** A worker's module: what it does when it is loaded, and then its job. */
function makeWorker(whenLoaded: string, work: string): URL {
  const folder = mkdtempSync(join(tmpdir(), "haft-worker-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const answer = new URL("./answer-from-worker.ts", import.meta.url).href;
  const loaded = join(folder, "loaded.ts");
  writeFileSync(loaded, `${whenLoaded}\nexport {};`);
  const entry = join(folder, "entry.ts");
  const lines = [`import "./loaded.ts";`, `import { answerFromWorker } from ${JSON.stringify(answer)};`];
  writeFileSync(entry, [...lines, `await answerFromWorker(async (data) => { ${work} });`].join("\n"));
  return pathToFileURL(entry);
}

const signal = new AbortController().signal;
const turn = () => new Promise((resolve) => void setImmediate(resolve));

test("a worker that takes long to load its code has all its time for the job", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const waits = 'import { workerData } from "node:worker_threads"; Atomics.wait(workerData, 0, 0);';
  const entry = makeWorker(waits, "return data[0] + 1;");
  const outcome = runInWorker({ entry, data: gate }, { signal, timeoutMs: 1000 });
  while (vi.getTimerCount() === 0) await turn();
  vi.advanceTimersByTime(20_000);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  expect(await outcome).toEqual({ status: "done", result: 2 });
});

test("a worker whose job overruns its time is ended", async () => {
  const entry = makeWorker("", "for (;;);");
  const outcome = await runInWorker({ entry, data: 1 }, { signal, timeoutMs: 50 });
  expect(outcome).toEqual({ status: "failed", reason: "it took longer than 50 ms" });
});

test("a worker that throws while it is loaded has failed", async () => {
  const entry = makeWorker("throw new Error('no such thing');", "return 1;");
  const outcome = await runInWorker({ entry, data: 1 }, { signal, timeoutMs: 1000 });
  expect(outcome).toEqual({ status: "failed", reason: "no such thing" });
});
