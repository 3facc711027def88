import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { listenOnLoopback } from "../../../test/support/loopback.ts";
import { askLocal, isRunning, startDetached } from "./detached.ts";

function place() {
  const folder = mkdtempSync(join(tmpdir(), "haft-detached-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const logFile = join(folder, "log");
  return { cwd: folder, logFile, log: () => readFileSync(logFile, "utf8") };
}

/** A program that says the ids of itself and of one that it starts, and then nothing. */
const silent = [
  process.execPath,
  "-e",
  `const child = require("node:child_process").spawn("sleep", ["1000"]);
process.on("SIGTERM", () => {});
process.stdout.write(process.pid + " " + child.pid + "\\n");
setInterval(() => {}, 1000);`,
] as const;

test("a program that does not say that it works is ended at the deadline, and the fault names the log", async () => {
  const { cwd, logFile } = place();
  const started = startDetached({ program: ["sleep", "1000"], cwd, logFile, maxMs: 1 });
  await expect(started).rejects.toMatchObject({
    code: "PROCESS_NOT_STARTED",
    message: `Cannot start "sleep": it did not say within 1 s that it works, and was ended; "${logFile}" has all that it said`,
  });
});

test("a start that is given up leaves no process, even of a program that hears no SIGTERM", async () => {
  const { cwd, logFile, log } = place();
  const giveUp = new AbortController();
  const reason = new Error("given up");
  const started = startDetached({ program: silent, cwd, logFile, graceMs: 1, signal: giveUp.signal });
  started.catch(() => {});
  await expect.poll(log).toMatch(/^\d+ \d+\n$/);
  giveUp.abort(reason);
  await expect(started).rejects.toBe(reason);
  for (const pid of log().trim().split(" ").map(Number)) await expect.poll(() => isRunning(pid)).toBe(false);
});

test("a program of this machine may take ten seconds to answer, and is given up after that", async () => {
  const held: ServerResponse[] = [];
  const { url } = await listenOnLoopback((_request, response) => void held.push(response));
  const deadlines: { readonly ms: number; readonly pass: () => void }[] = [];
  const clock = {
    now: () => 0,
    after: (ms: number, pass: () => void) => {
      deadlines.push({ ms, pass });
      return () => {};
    },
  };
  const slow = askLocal(url, {}, "GET", clock);
  await vi.waitFor(() => expect(held).toHaveLength(1), 30_000);
  held[0]?.end("here");
  expect(await slow).toBe("here");
  const silent = askLocal(url, {}, "GET", clock);
  await vi.waitFor(() => expect(held).toHaveLength(2), 30_000);
  deadlines[1]?.pass();
  expect(await silent).toBeUndefined();
  expect(deadlines.map(({ ms }) => ms)).toEqual([10_000, 10_000]);
});
