import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { type Keepable, KeptWorker } from "./kept-worker.ts";

interface Fake extends Keepable {
  readonly number: number;
  end(): Promise<void>;
}

/** Workers that are counted, kept by a clock that a test moves. */
function keep({ start = async (make: () => Fake): Promise<Fake> => make() } = {}) {
  const clock = createFakeClock();
  const made: Fake[] = [];
  const make = (): Fake => {
    const ended = Promise.withResolvers<void>();
    const state = { isOver: false, isClosed: false };
    const finish = async (isClosed: boolean) => {
      if (!state.isOver) Object.assign(state, { isOver: true, isClosed });
      ended.resolve();
      await ended.promise;
    };
    const worker: Fake = {
      number: made.length,
      get isOver() {
        return state.isOver;
      },
      get isClosed() {
        return state.isClosed;
      },
      ended: ended.promise,
      close: () => finish(true),
      end: () => finish(false),
    };
    made.push(worker);
    return worker;
  };
  const options = { name: "weather", clock, idleMs: 1000, start: () => start(make) };
  return { clock, made, kept: new KeptWorker(make(), options) };
}

const dies = async (worker: Fake): Promise<never> => {
  await worker.end();
  throw new Error("it ended");
};
const answers = (worker: Fake) => Promise.resolve(worker.number);

test("KeptWorker uses one worker until it ends, and then the next", async () => {
  const { kept } = keep();
  expect(await Promise.all([kept.use(answers), kept.use(answers)])).toEqual([0, 0]);
  await expect(kept.use(dies)).rejects.toThrow("it ended");
  expect(await Promise.all([kept.use(answers), kept.use(answers)])).toEqual([1, 1]);
});

test("KeptWorker rests longer each time that a worker ends before it answered", async () => {
  const { kept, clock, made } = keep();
  await expect(kept.use(dies)).rejects.toThrow("it ended");
  for (const restMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    await expect(kept.use(dies)).rejects.toThrow("it ended");
    await clock.advance(restMs - 1);
    await expect(kept.use(answers)).rejects.toMatchObject({ code: "EXTENSION_RESTING" });
    await clock.advance(1);
  }
  expect(await kept.use(answers)).toBe(made.length - 1);
  await expect(kept.use(dies)).rejects.toThrow("it ended");
  expect(await kept.use(answers)).toBe(made.length - 1);
});

test("KeptWorker counts a worker that can't be started like one that ends", async () => {
  const { kept } = keep({ start: () => Promise.reject(new Error("no such program")) });
  await expect(kept.use(dies)).rejects.toThrow("it ended");
  await expect(kept.use(answers)).rejects.toThrow("no such program");
  await expect(kept.use(answers)).rejects.toMatchObject({ code: "EXTENSION_RESTING" });
});

test("KeptWorker closes a worker that nobody uses, and never one that somebody does", async () => {
  const { kept, clock, made } = keep();
  const work = Promise.withResolvers<string>();
  const long = kept.use(() => work.promise);
  await clock.advance(5000);
  expect(made[0]?.isOver).toBe(false);
  work.resolve("done");
  expect(await long).toBe("done");
  await clock.advance(1000);
  expect(made[0]?.isClosed).toBe(true);
  expect(await kept.use(answers)).toBe(1);
  expect(clock.pending).toBe(1);
});

test("KeptWorker.retire() waits for those who use it, and lets nobody else in", async () => {
  const { kept, clock, made } = keep();
  const work = Promise.withResolvers<string>();
  const long = kept.use(() => work.promise);
  const retired = kept.retire();
  await expect(kept.use(answers)).rejects.toMatchObject({ code: "EXTENSION_ENDED" });
  expect(made[0]?.isOver).toBe(false);
  work.resolve("done");
  await Promise.all([long, retired]);
  expect(made[0]?.isClosed).toBe(true);
  expect([made.length, clock.pending]).toEqual([1, 0]);
});
