import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { Terminal } from "../terminal.ts";
import { settleInput } from "./settle-input.ts";

/** A terminal whose keys are written to `keys`, and which says whether it is raw and what was shown. */
function openTerminal(isTTY = true) {
  const keys = Object.assign(new PassThrough(), {
    isTTY,
    raw: false,
    setRawMode(raw: boolean) {
      this.raw = raw;
    },
  });
  const stderr = new PassThrough();
  const clock = createFakeClock();
  const leaving = new AbortController();
  const terminal = new Terminal({ stdin: keys, stdout: new PassThrough(), stderr });
  const settled = () => settleInput(terminal, { signal: leaving.signal, clock });
  return { keys, clock, leaving, terminal, settled, shown: () => String(stderr.read() ?? "") };
}

/** What a promise has come to by now. */
async function getState(settled: Promise<boolean>): Promise<boolean | "waits"> {
  return Promise.race([settled, new Promise<"waits">((resolve) => setImmediate(() => resolve("waits")))]);
}

test("settleInput() throws away what was typed ahead, and says so", async () => {
  const { keys, clock, settled, shown } = openTerminal();
  keys.write("y");
  keys.write("y\r");
  const settling = settled();
  await clock.advance(499);
  expect(await getState(settling)).toBe("waits");
  await clock.advance(1);
  expect(await settling).toBe(true);
  expect(keys.read()).toBeNull();
  expect(shown()).toContain("does not count");
});

test("settleInput() leaves what is typed half a second later to whoever asks", async () => {
  const { keys, clock, settled, shown } = openTerminal();
  const settling = settled();
  await clock.advance(500);
  expect(await settling).toBe(true);
  expect([keys.raw, shown()]).toEqual([true, ""]);
  keys.write("y");
  expect(String(keys.read())).toBe("y");
});

test("settleInput() waits for half a second without a key: one that is held down is no answer", async () => {
  const { keys, clock, settled } = openTerminal();
  const settling = settled();
  for (let at = 0; at < 10; at++) {
    await clock.advance(300);
    keys.write("y");
  }
  await clock.advance(499);
  expect(await getState(settling)).toBe("waits");
  await clock.advance(1);
  expect(await settling).toBe(true);
});

test("settleInput() throws away a key that was pressed in time and is read only once the time has passed", async () => {
  const { keys, clock, leaving, terminal, shown } = openTerminal();
  // As on a machine that was busy with other things: the clock first, then what has come in.
  let isLate = true;
  const lateClock = {
    now: () => clock.now(),
    after: (ms: number, action: () => void) =>
      clock.after(ms, () => {
        action();
        if (isLate) keys.emit("data", "y");
        isLate = false;
      }),
  };
  const settling = settleInput(terminal, { signal: leaving.signal, clock: lateClock });
  await clock.advance(500);
  expect(await getState(settling)).toBe("waits");
  await clock.advance(500);
  expect(await settling).toBe(true);
  expect(shown()).toContain("does not count");
});

test("settleInput() ends with Ctrl-C and with its signal, and gives the terminal back", async () => {
  const pressed = openTerminal();
  const settling = pressed.settled();
  pressed.keys.write("\u0003");
  expect([await settling, pressed.keys.raw, pressed.clock.pending]).toEqual([false, false, 0]);
  const left = openTerminal();
  const other = left.settled();
  left.leaving.abort();
  expect([await other, left.keys.raw, left.clock.pending]).toEqual([false, false, 0]);
  expect(await left.settled()).toBe(false);
});

test("settleInput() leaves input alone that is no terminal", async () => {
  const { keys, settled } = openTerminal(false);
  keys.write("text");
  expect(await settled()).toBe(true);
  expect(String(keys.read())).toBe("text");
});
