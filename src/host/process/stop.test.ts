import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { stopTree } from "./stop.ts";

/** Windows as far as it goes here: its name, and a `taskkill` on the PATH that leaves with a code. */
async function fakeWindows(exitCode: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "haft-taskkill-"));
  await writeFile(join(folder, "taskkill"), `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
  vi.spyOn(process, "platform", "get").mockReturnValue("win32");
  onTestFinished(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
}

const makeTree = (rootPid: number) => ({ rootPid, cookie: "none", startedAt: 0, rootExited: false });

test.skipIf(process.platform === "win32")(
  "stopTree() on Windows reports a process that taskkill could not end, and none that is gone",
  async () => {
    await fakeWindows(128);
    expect(await stopTree(makeTree(process.pid))).toBe(1);
    // No process has the largest id that Linux and macOS can give out.
    expect(await stopTree(makeTree(4_194_304))).toBe(0);
    await fakeWindows(0);
    expect(await stopTree(makeTree(process.pid))).toBe(0);
  },
);

/** Starts a process that gets no signal until `deafMs` have passed: `kill` is called instead. Each look at the clock takes 50 ms. */
function startDeaf(
  deafMs: number,
  kill: () => true,
): { readonly pid: number; readonly passedMs: () => number } {
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
  const really = process.kill.bind(process);
  let passedMs = 0;
  vi.spyOn(Date, "now").mockImplementation(() => (passedMs += 50));
  vi.spyOn(process, "kill").mockImplementation((pid, signal) =>
    passedMs < deafMs ? kill() : really(pid, signal),
  );
  onTestFinished(() => {
    vi.restoreAllMocks();
    child.kill("SIGKILL");
  });
  return { pid: child.pid as number, passedMs: () => passedMs };
}

const onLinux = needs("linux", process.platform === "linux");

test("stopTree() waits on for a process that was told to end, and has not come to it", onLinux, async () => {
  const { pid } = startDeaf(3000, () => true);
  expect(await stopTree(makeTree(pid))).toBe(0);
});

test("stopTree() reports one that it can't end before long", onLinux, async () => {
  const { pid, passedMs } = startDeaf(10_000, () => {
    throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
  });
  expect(await stopTree(makeTree(pid))).toBe(1);
  expect(passedMs()).toBeLessThan(3000);
});
