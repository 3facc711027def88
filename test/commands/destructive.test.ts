import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Rule, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { openCommandGate } from "../support/command-gate.ts";
import { needs } from "../support/needs.ts";
import { findThrowawayNamespace } from "../support/throwaway-namespace.ts";

const samples = JSON.parse(readFileSync("test/corpora/commands/destructive.json", "utf8")) as {
  readonly delete: readonly string[];
  readonly rewrite: readonly string[];
};

/** What every command gets a copy of, and what the gate looks at. */
const template = mkdtempSync(join(tmpdir(), "haft-destructive-"));
const tip = plant(template);
const gate = openCommandGate({
  plant: (folder) => cpSync(join(template, "work"), folder, { recursive: true }),
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  rmSync(template, { recursive: true, force: true });
});

function git(folder: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** A work tree with a file to lose, and a remote whose history the local one has left; returns what the remote has. */
function plant(base: string): string {
  const [work, remote] = [join(base, "work"), join(base, "remote.git")];
  mkdirSync(join(work, "canary/d"), { recursive: true });
  mkdirSync(join(work, "empty"));
  // Without the samples of hooks: every command gets a copy.
  git(base, "init", "-q", "--template=", "--bare", remote);
  git(work, "init", "-q", "--template=");
  mkdirSync(join(work, ".git/hooks"));
  writeFileSync(join(work, "keep.txt"), "keep\n");
  git(work, "add", "keep.txt");
  git(work, "commit", "-q", "-m", "one");
  git(work, "remote", "add", "origin", "../remote.git");
  git(work, "push", "-q", "origin", "main");
  const pushed = git(work, "rev-parse", "HEAD");
  git(work, "commit", "-q", "--amend", "-m", "another");
  writeFileSync(join(work, "canary/f"), "data");
  writeFileSync(join(work, "canary/d/g"), "data");
  return pushed;
}

const runThrowaway = findThrowawayNamespace();

/** The file is gone, elsewhere, or not what it was. */
function lost(base: string, command: string): boolean {
  runThrowaway?.(base, join(base, "work"), command);
  try {
    return readFileSync(join(base, "work/canary/f"), "utf8") !== "data";
  } catch {
    return true;
  }
}

function rewritten(base: string, command: string): boolean {
  runThrowaway?.(base, join(base, "work"), command);
  const { status, stdout } = spawnSync("git", ["rev-list", "main"], {
    cwd: join(base, "remote.git"),
    encoding: "utf8",
  });
  return status !== 0 || !stdout.includes(tip);
}

/** Programs that are not installed everywhere: a command that names a missing one is judged, and not run. */
const perhaps =
  "python3 make node perl awk mawk curl wget openssl gpg sqlite3 gcc as ld objcopy strip patch zip unzip ed ex vim view tclsh xxd bzip2 xz zstd script flock setpriv capsh choom uuencode start-stop-daemon npm npx ssh iconv unshare".split(
    " ",
  );
const missing = perhaps.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0);

function isRunnable(command: string): boolean {
  return !missing.some((name) => new RegExp(`(^|[^\\w.-])${name}([^\\w.-]|$)`).test(command));
}

/** Whether a command puts zeros or a hole into a file, which the file system here can't do, as one in memory can't. */
function needsOtherFileSystem(command: string): boolean {
  const [, option] = /^fallocate (-[zp]) /.exec(command) ?? [];
  if (option === undefined) return false;
  const file = join(template, "range");
  writeFileSync(file, "data");
  return spawnSync("fallocate", [option, "-o", "0", "-l", "4", file]).status !== 0;
}

/** Whether the executor runs it, in the default mode and under the strongest sandbox, with nobody to ask. */
async function runsThrough(command: string, rules?: readonly Rule[]): Promise<boolean> {
  const registry = new ToolRegistry();
  let ran = false;
  registry.register({
    ...gate.bash,
    effects: () => gate.confinedEffects(command),
    execute: () => (ran = true),
  });
  const executor = new ToolExecutor(registry, rules === undefined ? {} : { rules });
  const result = await executor.execute("bash", { command }, { allowedPaths: [gate.folder] });
  return ran || result.success;
}

const destructive = [
  ...samples.delete.map((command) => ({ command, harms: lost })),
  ...samples.rewrite.map((command) => ({ command, harms: rewritten })),
];

test.for(destructive)("the gate does not let $command through", async ({ command }) => {
  expect(await runsThrough(command)).toBe(false);
  expect(await gate.decide(command)).not.toBe("allow");
  expect(await gate.decideConfined(command)).not.toBe("allow");
});

test.for(destructive)(
  "$command really is destructive",
  needs("sandbox", runThrowaway !== undefined),
  ({ command, harms }, { skip }) => {
    if (!isRunnable(command)) return;
    skip(needsOtherFileSystem(command), "the file system of the temporary folder can't do it");
    const base = mkdtempSync(join(tmpdir(), "haft-destructive-"));
    try {
      cpSync(template, base, { recursive: true });
      expect(harms(base, command)).toBe(true);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);

test("the gate of these tests lets through what it is told to, and what nothing is known against", async () => {
  expect(await runsThrough("rm -rf canary", [{ decision: "allow" }])).toBe(true);
  expect(await runsThrough("cat notes.txt")).toBe(true);
  expect(await runsThrough("git add canary/f && git commit -m 'add f' && git tag v1")).toBe(true);
  expect(await runsThrough("unknown canary/g")).toBe(true);
  expect(await runsThrough("unknown canary/f")).toBe(false);
});
