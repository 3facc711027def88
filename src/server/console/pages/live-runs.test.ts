import { expect, test } from "vitest";
import { createFakeClock } from "../../../testing/index.ts";
import { LiveRun } from "./live-runs.ts";

const signal = new AbortController().signal;
const text = (delta: string) => ({ type: "answer.text", delta }) as const;

test("LiveRun joins the pieces of a text, and gives each page what it has not had", async () => {
  const run = new LiveRun();
  for (const delta of ["Buy", " milk", "."]) run.add(text(delta));
  expect(await run.read(0, signal)).toEqual({
    events: [text("Buy milk.")],
    next: 3,
    gap: false,
    over: false,
  });
  expect(await run.read(2, signal)).toMatchObject({ events: [text(".")], next: 3 });
});

test("LiveRun answers as soon as something happens, and after 20 s without", async () => {
  const clock = createFakeClock();
  const run = new LiveRun(clock);
  const told = run.read(0, signal);
  await clock.advance(10);
  run.add(text("a"));
  expect(await told).toMatchObject({ events: [text("a")] });
  const untold = run.read(1, signal);
  await clock.advance(20_000);
  expect(await untold).toEqual({ events: [], next: 1, gap: false, over: false });
  const last = run.read(1, signal);
  run.close();
  expect(await last).toMatchObject({ events: [], over: true });
});

test("LiveRun answers at once if its page is gone", async () => {
  const gone = new AbortController();
  const read = new LiveRun(createFakeClock()).read(0, gone.signal);
  gone.abort();
  expect(await read).toMatchObject({ events: [], over: false });
});

test("LiveRun keeps 5,000 events, and says what is gone", async () => {
  const run = new LiveRun();
  for (let step = 1; step <= 5_003; step++) run.add({ type: "step.began", step });
  const { events, next, gap } = await run.read(1, signal);
  expect(events).toHaveLength(5_000);
  expect([events[0], next, gap]).toEqual([{ type: "step.began", step: 4 }, 5_003, true]);
  expect(await run.read(5_000, signal)).toMatchObject({ gap: false, next: 5_003 });
});
