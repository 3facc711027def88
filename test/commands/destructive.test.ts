import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Rule, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { openCommandGate } from "../support/command-gate.ts";

const samples = JSON.parse(readFileSync("test/corpora/commands/destructive.json", "utf8")) as {
  readonly delete: readonly string[];
  readonly rewrite: readonly string[];
};

const gate = openCommandGate();
afterAll(() => gate[Symbol.asyncDispose]());

function git(folder: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** A work tree with a file to lose, and a remote whose history the local one has left. */
function plant(base: string): { readonly work: string; readonly remote: string; readonly tip: string } {
  const [work, remote] = [join(base, "work"), join(base, "remote.git")];
  mkdirSync(join(work, "canary/d"), { recursive: true });
  mkdirSync(join(work, "empty"));
  git(base, "init", "-q", "--bare", remote);
  git(work, "init", "-q");
  writeFileSync(join(work, "keep.txt"), "keep\n");
  git(work, "add", "keep.txt");
  git(work, "commit", "-q", "-m", "one");
  git(work, "remote", "add", "origin", remote);
  git(work, "push", "-q", "origin", "main");
  const tip = git(work, "rev-parse", "HEAD");
  git(work, "commit", "-q", "--amend", "-m", "another");
  writeFileSync(join(work, "canary/f"), "data");
  writeFileSync(join(work, "canary/d/g"), "data");
  return { work, remote, tip };
}

function sandbox(base: string, folder: string, command: string): ReturnType<typeof spawnSync> {
  const bounds = [
    "--ro-bind",
    "/",
    "/",
    "--tmpfs",
    "/tmp",
    "--bind",
    base,
    base,
    "--dev",
    "/dev",
    "--proc",
    "/proc",
  ];
  return spawnSync(
    "bwrap",
    [
      ...bounds,
      "--unshare-net",
      "--unshare-pid",
      "--die-with-parent",
      "--chdir",
      folder,
      "bash",
      "-c",
      command,
    ],
    {
      timeout: 20_000,
      env: { PATH: process.env["PATH"], HOME: base, GIT_CONFIG_NOSYSTEM: "1" },
    },
  );
}

const probe = spawnSync("bwrap", [
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--unshare-net",
  "--unshare-pid",
  "git",
  "--version",
]);
const confined = probe.status === 0;
if (!confined)
  console.log(
    `destructive commands are not run: bubblewrap or git is missing here (${String(probe.error ?? probe.stderr)})`,
  );

function lost(base: string, command: string): boolean {
  const { work } = plant(base);
  sandbox(base, work, command);
  try {
    return readFileSync(join(work, "canary/f"), "utf8") === "";
  } catch {
    return true;
  }
}

function rewritten(base: string, command: string): boolean {
  const { work, remote, tip } = plant(base);
  sandbox(base, work, command);
  return !git(remote, "rev-list", "main").includes(tip);
}

/** A program that is not installed everywhere. */
const needs: Readonly<Record<string, string>> = { python3: "python3", make: "make", node: "node" };

function isRunnable(command: string): boolean {
  const program = Object.keys(needs).find((name) => command.startsWith(`${name} `));
  return program === undefined || spawnSync(program, ["--version"]).status === 0;
}

async function runsThrough(command: string, rules?: readonly Rule[]): Promise<boolean> {
  const registry = new ToolRegistry();
  let ran = false;
  registry.register({ ...gate.bash, execute: () => (ran = true) });
  const executor = new ToolExecutor(registry, rules === undefined ? {} : { rules });
  const result = await executor.execute("bash", { command }, { allowedPaths: [gate.folder] });
  return ran || result.success;
}

test.for([
  ...samples.delete.map((command) => ({ command, harms: lost })),
  ...samples.rewrite.map((command) => ({ command, harms: rewritten })),
])("the gate does not let $command through, which really is destructive", async ({ command, harms }) => {
  expect(await runsThrough(command)).toBe(false);
  expect(await gate.decide(command)).not.toBe("allow");
  if (!confined || !isRunnable(command)) return;
  const base = mkdtempSync(join(tmpdir(), "haft-destructive-"));
  try {
    expect(harms(base, command)).toBe(true);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test("the gate of these tests lets through what it is told to", async () => {
  expect(await runsThrough("rm -rf canary", [{ decision: "allow" }])).toBe(true);
  expect(await runsThrough("cat notes.txt")).toBe(true);
});
