import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { Terminal } from "./terminal.ts";

function listen(clock = createFakeClock(1_000)) {
  const stream = () => new PassThrough();
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  const terminal = new Terminal({ stdin: stream(), stdout: stream(), stderr: stream() });
  const interrupt = listenForInterrupt(terminal, clock);
  onTestFinished(() => {
    interrupt.end();
    exit.mockRestore();
  });
  return { clock, exit, signal: interrupt.signal };
}

test("a Ctrl-C that npm passes on as well is one, and the next one leaves at once", async () => {
  const { clock, exit, signal } = listen();
  process.emit("SIGINT", "SIGINT");
  await clock.advance(30);
  process.emit("SIGINT", "SIGINT");
  expect([signal.aborted, exit.mock.calls]).toEqual([true, []]);
  await clock.advance(70);
  process.emit("SIGINT", "SIGINT");
  expect(exit.mock.calls).toEqual([[130]]);
});

test("another signal than the first is no second one", async () => {
  const { clock, exit, signal } = listen();
  process.emit("SIGINT", "SIGINT");
  await clock.advance(1_000);
  process.emit("SIGHUP", "SIGHUP");
  expect([signal.aborted, exit.mock.calls]).toEqual([true, []]);
});

test("a second Ctrl-C leaves at once although the clock was set back since the first", () => {
  let now = 1_000;
  const { exit } = listen({ ...createFakeClock(), now: () => now });
  process.emit("SIGINT", "SIGINT");
  now = 0;
  process.emit("SIGINT", "SIGINT");
  expect(exit.mock.calls).toEqual([[130]]);
});
