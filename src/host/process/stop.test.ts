import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
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
