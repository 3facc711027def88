import { expect, test } from "vitest";
import { createFakeClock } from "../../../testing/index.ts";
import type { Params } from "../messages/message.ts";
import type { Call } from "./call.ts";
import { ProgressTeller } from "./progress.ts";

function createTeller() {
  const told: Params[] = [];
  const clock = createFakeClock();
  const call = {
    progressToken: "p",
    notify: (_method: string, params: Params) => told.push(params),
  } as unknown as Call;
  return { told, clock, teller: new ProgressTeller(call, clock) };
}

test("ProgressTeller tells what comes slowly at once, and what comes fast together", async () => {
  const { told, clock, teller } = createTeller();
  teller.update({ type: "progress", progress: 1, total: 10, message: "one" });
  for (let progress = 2; progress <= 9; progress++) teller.update({ type: "progress", progress });
  expect(told).toEqual([{ progressToken: "p", progress: 1, total: 10, message: "one" }]);
  await clock.advance(20);
  expect(told.slice(1)).toEqual([{ progressToken: "p", progress: 9 }]);
  teller.update({ type: "progress", progress: 10 });
  teller.end();
  expect(told.slice(2)).toEqual([{ progressToken: "p", progress: 10 }]);
  expect(clock.pending).toBe(0);
});

test("ProgressTeller never goes back", async () => {
  const { told, clock, teller } = createTeller();
  for (const progress of [5, 3, 5, Number.NaN, 6]) {
    teller.update({ type: "progress", progress });
    await clock.advance(50);
  }
  expect(told.map(({ progress }) => progress)).toEqual([5, 6]);
});

test("ProgressTeller shows output as it comes, unless the tool has a progress of its own", async () => {
  const { told, clock, teller } = createTeller();
  teller.update({ type: "output", text: "one\n" });
  teller.update({ type: "output", text: "two\n" });
  teller.update({ type: "output", text: "three\n" });
  await clock.advance(20);
  expect(told).toEqual([
    { progressToken: "p", progress: 4, message: "one\n" },
    { progressToken: "p", progress: 14, message: "two\nthree\n" },
  ]);
  teller.update({ type: "progress", progress: 50 });
  await clock.advance(50);
  teller.update({ type: "output", text: "x".repeat(100) });
  teller.end();
  expect(told.slice(2)).toEqual([{ progressToken: "p", progress: 50 }]);
});
