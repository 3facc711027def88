import { expect, onTestFinished, test, vi } from "vitest";
import { ModelWorker, type ModelWorkerOptions } from "./model-worker.ts";

const entry = new URL("../../../test/fixtures/embed/stand-in-worker.ts", import.meta.url);
const waiting = { inBackground: false };
const leisure = { inBackground: true };
const many = Array.from({ length: 80 }, (_, index) => `text ${index}`);

const turn = () => new Promise((resolve) => void setImmediate(resolve));

/** A worker whose model is a stand-in. */
function startStandIn(folder = "model", options: Partial<ModelWorkerOptions> = {}): ModelWorker {
  const source = { kind: "folder", folder } as const;
  const worker = new ModelWorker({ source, entry, loadMs: 20_000, ...options });
  onTestFinished(() => worker.close());
  return worker;
}

test("ModelWorker.embed() gives a vector a text, whatever the number", async () => {
  const worker = startStandIn();
  expect(await worker.embed([], waiting)).toEqual([]);
  const batches = (await worker.embed(many.slice(0, 20), waiting)).map(([batch]) => batch);
  expect(batches).toEqual([...Array(8).fill(1), ...Array(8).fill(2), ...Array(4).fill(3)]);
});

test("ModelWorker.embed() lets who waits go before what is done in the background", async () => {
  const worker = startStandIn();
  const background = worker.embed(many, leisure);
  const [first, second] = await Promise.all([
    worker.embed(["a question"], waiting),
    worker.embed(["another"], waiting),
  ]);
  expect([first[0]?.[0], second[0]?.[0]]).toEqual([1, 2]);
  expect((await background).at(-1)?.[0]).toBe(12);
});

test.for([
  ["crash", "EMBED_FAILED", "its thread ended"],
  ["throw", "EMBED_FAILED", "a fault of the model"],
  ["fail", "EMBED_FAILED", "it does not like the text"],
  ["too few", "EMBED_FAILED", "too few vectors"],
  ["hang", "EMBED_TIMEOUT", "longer than 500 ms"],
] as const)("ModelWorker.embed() outlives a text that makes it %s", async ([text, code, reason]) => {
  // No time passes but the one that a text hangs for, however slow the machine is.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const started = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const worker = startStandIn("model", { batchMs: 500 });
  const harmful = worker.embed([text], waiting);
  const other = worker.embed(["text"], waiting);
  if (text === "hang") {
    while (!started.mock.calls.some(([, ms]) => ms === 500)) await turn();
    vi.advanceTimersByTime(500);
  }
  await expect(harmful).rejects.toMatchObject({ code, message: expect.stringContaining(reason) });
  expect(await other).toHaveLength(1);
});

test.for([
  ["unready", "EMBED_MODEL", /Cannot load the model in "unready": no such file; see that the folder has/],
  ["missing", "EMBED_PACKAGE", /the package "some-package" is not installed; install it/],
  ["silent", "EMBED_TIMEOUT", /load its model/],
] as const)(
  "ModelWorker.embed() tells all who wait that its model is %s",
  async ([folder, code, message]) => {
    const worker = startStandIn(folder, { loadMs: folder === "silent" ? 200 : 20_000 });
    const outcomes = await Promise.allSettled([worker.embed(["a"], waiting), worker.embed(["b"], leisure)]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { code, message: expect.stringMatching(message) },
      });
    await expect(worker.embed(["c"], waiting)).rejects.toMatchObject({ code });
  },
);

test("ModelWorker.embed() rejects with the reason of its signal, and the others go on", async () => {
  const worker = startStandIn();
  const controller = new AbortController();
  const given = worker.embed(many, { ...waiting, signal: controller.signal });
  const other = worker.embed(["text"], leisure);
  controller.abort(new Error("no longer wanted"));
  await expect(given).rejects.toThrow("no longer wanted");
  expect((await other)[0]?.[0]).toBeLessThanOrEqual(2);
  await expect(worker.embed(["x"], { ...waiting, signal: controller.signal })).rejects.toThrow("no longer");
});

test("ModelWorker ends its thread when there is nothing to do, and starts another when there is", async () => {
  const worker = startStandIn("model", { idleMs: 1 });
  const findThread = async () => (await worker.embed(["text"], waiting))[0]?.[1];
  const first = await findThread();
  await vi.waitFor(async () => expect(await findThread()).not.toBe(first), 30_000);
});

test("ModelWorker starts another thread when its own has ended in between", async () => {
  const worker = startStandIn("model", { batchMs: 20_000 });
  const [[, first] = []] = await worker.embed(["leave"], waiting);
  await vi.waitFor(
    async () => expect((await worker.embed(["text"], waiting))[0]?.[1]).not.toBe(first),
    30_000,
  );
});

test("ModelWorker says so where no thread can be started", async () => {
  const worker = startStandIn("model", { entry: new URL("https://example.com/no-file.ts") });
  await expect(worker.embed(["a"], waiting)).rejects.toMatchObject({
    code: "EMBED_FAILED",
    message: expect.stringContaining("Cannot start a thread for the model in"),
  });
});

test("ModelWorker.close() ends what is asked of it", async () => {
  const worker = startStandIn();
  const asked = worker.embed(many, waiting);
  await Promise.all([expect(asked).rejects.toMatchObject({ code: "EMBED_CLOSED" }), worker.close()]);
});
