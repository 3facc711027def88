import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { levelsHere, openSandbox } from "../../../test/support/sandbox-levels.ts";
import { Processes } from "../process/processes.ts";
import { lookForProgram } from "./find-program.ts";
import { describeIsolation, type SandboxPromise, type SandboxReport } from "./report.ts";
import { Sandbox } from "./sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-sandbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const onLinux = process.platform === "linux";
const levels = await levelsHere();
const bwrap = lookForProgram("bwrap", process.env["PATH"]);
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin" };

/** A program in bubblewrap's place that does something else. */
function impostor(script: string): string {
  const path = join(folder, `bwrap-${Math.random()}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function reportWith(bubblewrap: string): Promise<SandboxReport> {
  const sandbox = new Sandbox({ bubblewrap, levels: ["bubblewrap", "process-group"] });
  const report = await sandbox.report();
  await sandbox.close();
  return report;
}

/** Skips what bubblewrap is told, and runs the command with nothing around it. */
const runsBare = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';

describe("Sandbox.report()", needs("linux", onLinux), () => {
  test("says what to install where there is no bubblewrap, and that it is not enough", async () => {
    expect(await reportWith(join(folder, "none"))).toMatchObject({
      level: "process-group",
      sufficient: false,
      detail: "what a command starts is ended with it; bubblewrap is not installed",
      remedy: expect.stringContaining("install bubblewrap"),
    });
  });

  test("says what bubblewrap says where it does not run", async () => {
    expect(
      await reportWith(impostor("echo 'No permissions to create new namespace' >&2; exit 1")),
    ).toMatchObject({
      level: "process-group",
      detail: expect.stringContaining("does not run here: No permissions to create new namespace"),
      remedy: expect.stringContaining("allow user namespaces"),
    });
  });

  test("does not believe a bubblewrap that does nothing", async () => {
    const { level, detail } = await reportWith(impostor(runsBare));
    expect(level).toBe("process-group");
    expect(detail).toMatch(/bubblewrap (leaves|does not run)|a command in bubblewrap/);
  });

  test.each([
    ["leaves its commands capabilities", "CapEff:\t000001ffffffffff"],
    ["could not write where it may", "CapEff:\t0000000000000000"],
  ])("does not believe a bubblewrap that %s", async (fault, said) => {
    const { level, detail } = await reportWith(impostor(`echo "${said}"; echo up`));
    expect({ level, detail }).toEqual({ level: "process-group", detail: expect.stringContaining(fault) });
  });

  test("runs its canaries once for callers at the same time, and leaves nothing on the machine", async () => {
    const log = join(folder, "log");
    writeFileSync(log, "");
    const sandbox = new Sandbox({
      bubblewrap: impostor(`echo run >> ${log}; exit 1`),
      levels: ["bubblewrap", "none"],
    });
    const [one, two] = await Promise.all([sandbox.report(), sandbox.report()]);
    await sandbox.close();
    expect(two).toEqual(one);
    const { size } = statSync(log);
    expect(size).toBe("run\n".length);
  });
});

test(
  "Sandbox.report() tells of the limits that hold",
  needs("bubblewrap", levels.includes("bubblewrap")),
  async () => {
    const sandbox = openSandbox("bubblewrap");
    const { level, limits } = await sandbox.report();
    await sandbox.close();
    expect({ level, limits }).toEqual({
      level: "bubblewrap",
      limits: {
        memory: expect.stringMatching(/cgroup|rlimit/),
        processes: expect.stringMatching(/cgroup|rlimit|none/),
        fileSize: "rlimit",
        temporary: expect.stringMatching(/tmpfs|none/),
      },
    });
  },
);

test("Sandbox.require() refuses less than what is asked for, and names both remedies", async () => {
  const sandbox = new Sandbox({ levels: ["process-group"], atLeast: "other-user" });
  await expect(sandbox.require()).rejects.toMatchObject({
    code: "SANDBOX_REFUSED",
    message: expect.stringMatching(/"process-group".*"other-user".*sandbox: \{ atLeast: process-group \}/s),
  });
  await using processes = new Processes({ sandbox });
  await expect(
    processes.run(["true"], { cwd: "/", environment, signal: new AbortController().signal }),
  ).rejects.toMatchObject({ code: "SANDBOX_REFUSED" });
});

test(
  "A bubblewrap that fails before the command begins is a fault of its own, with what it said",
  needs("bubblewrap", levels.includes("bubblewrap")),
  async () => {
    // It works while the canaries run.
    const broken = join(folder, "broken");
    const program = impostor(
      `[ -e ${broken} ] && { echo "bwrap: Can't create file at /x: Read-only file system" >&2; exit 1; }; exec ${bwrap} "$@"`,
    );
    await using processes = new Processes({ sandbox: openSandbox("bubblewrap", { bubblewrap: program }) });
    const run = (line: string) =>
      processes.runShell(line, { cwd: "/", environment, signal: AbortSignal.timeout(20_000) });
    expect(await run("echo 'bwrap: no fault' >&2; exit 1")).toMatchObject({ exitCode: 1 });
    expect(await run("sleep 60 > /dev/null 2>&1 & exit 3")).toMatchObject({ exitCode: 3, leftBehind: 1 });
    writeFileSync(broken, "");
    await expect(run("echo ran")).rejects.toMatchObject({
      code: "PROCESS_NOT_STARTED",
      message: expect.stringMatching(
        /^Cannot start .* in the sandbox: bwrap: Can't create file at \/x: Read-only file system; .*haft doctor/,
      ),
    });
  },
);

test(
  "A sandbox that fails once before the command begins is planned anew, and the command runs once",
  needs("bubblewrap", levels.includes("bubblewrap")),
  async () => {
    const [broken, ran] = [join(folder, "broken-once"), join(folder, "ran-once")];
    mkdirSync(ran);
    const program = impostor(
      `[ -e ${broken} ] && { rm ${broken}; echo "bwrap: Can't find source path /x: No such file or directory" >&2; exit 1; }; exec ${bwrap} "$@"`,
    );
    const sandbox = openSandbox("bubblewrap", { bubblewrap: program });
    await using processes = new Processes({ sandbox });
    await sandbox.report();
    writeFileSync(broken, "");
    const { stdout, stderr } = await processes.runShell(`mktemp ${ran}/XXXXXX > /dev/null; echo ran`, {
      cwd: folder,
      environment,
      signal: AbortSignal.timeout(20_000),
      bounds: { writable: [ran] },
    });
    expect([stdout.text, stderr.text, readdirSync(ran).length]).toEqual(["ran\n", "", 1]);
  },
);

test("Sandbox.enclose() refuses what was promised more than there is now", async () => {
  const sandbox = new Sandbox({ levels: ["process-group"], atLeast: "none" });
  await using processes = new Processes({ sandbox });
  const run = (promises: readonly SandboxPromise[]) =>
    processes.runShell("echo ran", {
      cwd: folder,
      environment,
      signal: AbortSignal.timeout(20_000),
      promises,
    });
  await expect(run(["no network"])).rejects.toMatchObject({
    code: "SANDBOX_REFUSED",
    message: expect.stringContaining("make the call again"),
  });
  expect((await run([])).stdout.text).toBe("ran\n");
});

test("describeIsolation() says of every level what a person has to know", () => {
  expect(describeIsolation({ level: "bubblewrap", sufficient: true })).toContain("only the allowed folders");
  expect(describeIsolation({ level: "process-group", sufficient: true })).toContain("your rights");
  expect(describeIsolation({ level: "process-group", sufficient: false })).toContain("refused");
});

test(
  "A command of another user reads and changes nothing of root's",
  needs("another user", levels.includes("other-user")),
  async () => {
    const secret = join(folder, "secret");
    writeFileSync(secret, "SECRET", { mode: 0o600 });
    await using processes = new Processes({ sandbox: openSandbox("other-user") });
    const { stdout } = await processes.runShell(
      `id -u; cat ${secret} /etc/shadow; touch ${folder}/made; grep -E '^(Cap|NoNew)' /proc/self/status; ulimit -c`,
      { cwd: "/", environment, signal: AbortSignal.timeout(20_000) },
    );
    expect(stdout.text).toMatch(/^[1-9]\d+\n(Cap(Inh|Prm|Eff|Bnd|Amb):\t0{16}\n){5}NoNewPrivs:\t1\n0\n$/);
    expect(readdirSync(folder)).not.toContain("made");
  },
);

test.for(levels.filter((level) => level !== "process-group"))(
  "A command that sheds its environment, its session and its parents is gone with its call, at level %s",
  async (level) => {
    const marker = `${90_000 + Math.floor(Math.random() * 9000)}.${process.pid}`;
    await using processes = new Processes({ sandbox: openSandbox(level) });
    const { remaining } = await processes.runShell(
      `(env -i setsid sh -c 'sleep ${marker} & sleep ${marker} &' > /dev/null 2>&1 &); (env -i setsid sleep ${marker} &); sleep 0.1`,
      { cwd: "/", environment, signal: AbortSignal.timeout(20_000) },
    );
    expect({ remaining, alive: sleepers(marker) }).toEqual({ remaining: 0, alive: [] });
  },
);

function sleepers(marker: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return false;
      return (
        readIfThere(`/proc/${pid}/cmdline`).includes(marker) &&
        !/\) [ZX] /.test(readIfThere(`/proc/${pid}/stat`))
      );
    } catch {
      return false;
    }
  });
}

function readIfThere(path: string): string {
  return readFileSync(path, "latin1");
}
