import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";

test("giveWay() waits in a thread that runs in the background, and in no other", async () => {
  const source = new URL("./background-thread.ts", import.meta.url).href;
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads");
    const waits = [];
    Atomics.wait = (cell, at, value, ms) => void waits.push(ms);
    import(${JSON.stringify(source)}).then(({ giveWay, runInBackground }) => {
      giveWay();
      const before = waits.length;
      runInBackground();
      giveWay();
      parentPort.postMessage([before, waits]);
    });`,
    { eval: true },
  );
  onTestFinished(async () => void (await worker.terminate()));
  expect(await once(worker, "message")).toEqual([[0, [0.05]]]);
});
