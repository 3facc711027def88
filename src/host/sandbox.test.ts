import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { probeSandbox } from "./sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-sandbox-"));
afterAll(() => rmSync(folder, { recursive: true }));

const onLinux = process.platform === "linux";
const confines =
  spawnSync("bwrap", ["--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "true"]).status === 0;

/** A program in bubblewrap's place that does something else. */
function impostor(script: string): string {
  const path = join(folder, `bwrap-${Math.random()}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test.runIf(onLinux)("probeSandbox() says what to install where there is no bubblewrap", async () => {
  const report = await probeSandbox({ bubblewrap: join(folder, "none") });
  expect(report).toEqual({
    level: "process-group",
    detail: "what a command starts is ended with it; bubblewrap is not installed",
    remedy: expect.stringContaining("install bubblewrap"),
  });
});

test.runIf(onLinux)("probeSandbox() says what bubblewrap says where it does not run", async () => {
  const report = await probeSandbox({
    bubblewrap: impostor("echo 'No permissions to create new namespace' >&2; exit 1"),
  });
  expect(report).toEqual({
    level: "process-group",
    detail:
      "what a command starts is ended with it; bubblewrap does not run here: No permissions to create new namespace",
    remedy: expect.stringContaining("allow user namespaces"),
  });
});

test.runIf(onLinux)("probeSandbox() does not believe a bubblewrap whose processes outlive it", async () => {
  const path = impostor(
    'while [ "$1" != -- ]; do shift; done; shift; echo "CapEff:\t0000000000000000"; "$@" | grep --line-buffered -v CapEff',
  );
  expect(await probeSandbox({ bubblewrap: path })).toMatchObject({
    level: "process-group",
    detail: "what a command starts is ended with it; a process outlived the bubblewrap it ran in",
  });
});

test.runIf(onLinux)("probeSandbox() does not believe a bubblewrap that leaves capabilities", async () => {
  const path = impostor('echo "CapEff:\t000001ffffffffff"; echo up');
  expect(await probeSandbox({ bubblewrap: path })).toMatchObject({
    level: "process-group",
    detail: "what a command starts is ended with it; bubblewrap leaves its commands capabilities",
  });
});

test.runIf(confines)("probeSandbox() finds bubblewrap where it does what is asked of it", async () => {
  expect(await probeSandbox()).toEqual({
    level: "bubblewrap",
    detail: "bubblewrap gives a process tree of its own without capabilities, and nothing outlives it",
  });
});
