import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { levelsHere, openSandbox } from "../../../test/support/sandbox-levels.ts";
import { until } from "../../../test/support/until.ts";
import { HostError } from "../errors.ts";
import { keepsPromises, type SandboxLevel } from "../sandbox/report.ts";
import { Processes } from "./processes.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-survivors-")));
afterAll(() => rmSync(folder, { recursive: true }));
// Another user has to write there too.
chmodSync(folder, 0o777);

// Not our own: another user may not enter every folder of it.
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const bounds = { writable: [folder] };
const hasProc = process.platform === "linux";
const hasPython = spawnSync("python3", ["-c", "import os"], { env: environment }).status === 0;
const hasSetsid = spawnSync("setsid", ["true"]).status === 0;

/** The living processes whose command line has the marker in it. */
function marked(marker: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const dead = / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\)/s, ""));
      return /^\d+$/.test(pid) && !dead && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(marker);
    } catch {
      return false;
    }
  });
}

/** One that becomes another program has no command line for that moment. */
function isMarked(marker: string): boolean {
  for (let looks = 0; looks < 200; looks++) if (marked(marker).length > 0) return true;
  return false;
}

/** A process that says that it is there, by making `file`, and then stays. */
const stays = (marker: string, file: string) => `sh -c 'touch ${file}; while :; do sleep 1; done' ${marker}`;

const python = `
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.closerange(0, 256)
os.chdir("/")
open(sys.argv[2], "w").close()
time.sleep(600)
`;

interface Escape {
  readonly name: string;
  readonly possible: boolean;
  readonly line: (marker: string, file: string) => string;
}

const escapes: readonly Escape[] = [
  { name: "a background job", possible: true, line: (marker, file) => `${stays(marker, file)} &` },
  {
    name: "nohup",
    possible: true,
    line: (marker, file) => `nohup ${stays(marker, file)} > /dev/null 2>&1 &`,
  },
  { name: "setsid", possible: hasSetsid, line: (marker, file) => `setsid ${stays(marker, file)} &` },
  {
    name: "a double fork",
    possible: hasSetsid,
    line: (marker, file) => `(setsid sh -c "${stays(marker, file)} > /dev/null 2>&1 &" &)`,
  },
  {
    name: "one that becomes another program again and again",
    possible: hasSetsid,
    line: (marker, file) => {
      const again = `: > "$1"; exec sh -c "$0" "$0" "$1" "$2"`;
      return `again='${again}'; setsid sh -c "$again" "$again" ${file} ${marker} &`;
    },
  },
  {
    name: "a daemon in Python",
    possible: hasPython,
    line: (marker, file) => `python3 -c '${python}' ${marker} ${file}`,
  },
  {
    name: "a trap",
    possible: true,
    line: (marker, file) =>
      `sh -c 'trap "" TERM HUP INT; touch ${file}; while :; do sleep 1; done' ${marker} &`,
  },
];

interface Way {
  readonly from: "helper" | "direct";
  readonly level: SandboxLevel | undefined;
}

const levels = await levelsHere();
const ways: readonly Way[] = [
  { from: "helper", level: undefined },
  { from: "direct", level: undefined },
  ...levels.map((level): Way => ({ from: "helper", level })),
];

describe.runIf(hasProc).for(ways)("Processes from $from, level $level", ({ from, level }) => {
  const processes = new Processes({ from, ...(level !== undefined && { sandbox: openSandbox(level) }) });
  afterAll(() => processes.close());

  for (const { name, possible, line } of escapes) {
    test.runIf(possible)(`leaves nothing of ${name} when the call is aborted`, async () => {
      const marker = randomUUID();
      const file = join(folder, marker);
      const stop = new AbortController();
      const reason = new Error("enough");
      const run = processes.runShell(
        `${line(marker, file)}\nuntil [ -e ${file} ]; do sleep 0.01; done; echo up; sleep 600`,
        {
          cwd: folder,
          environment,
          bounds,
          signal: stop.signal,
          stdin: "",
          onOutput() {
            stop.abort(isMarked(marker) ? reason : new Error("it is not there to be ended"));
          },
        },
      );
      await expect(run).rejects.toBe(reason);
      expect(marked(marker)).toEqual([]);
    });

    test.runIf(possible)(`leaves nothing of ${name} when the command has ended, and says so`, async () => {
      const marker = randomUUID();
      const file = join(folder, marker);
      const { exitCode, stdout, leftBehind, remaining } = await processes.runShell(
        `${line(marker, file)}\nuntil [ -e ${file} ]; do sleep 0.01; done; echo up`,
        { cwd: folder, environment, bounds, signal: new AbortController().signal },
      );
      expect({ exitCode, text: stdout.text, remaining }).toEqual({ exitCode: 0, text: "up\n", remaining: 0 });
      expect(leftBehind).toBeGreaterThan(0);
      expect(marked(marker)).toEqual([]);
    });
  }

  test("leaves nothing of many processes that start as the command ends", async () => {
    const marker = randomUUID();
    const one = `sh -c 'exec sh -c "while :; do sleep 1; done" ${marker}'`;
    const line = Array.from({ length: 15 }, () => `${one} &\n ${hasSetsid ? `setsid ${one} &` : ""}`).join(
      "\n",
    );
    const { exitCode } = await processes.runShell(line, {
      cwd: folder,
      environment,
      bounds,
      signal: new AbortController().signal,
    });
    expect(exitCode).toBe(0);
    expect(marked(marker)).toEqual([]);
  });

  test("waits for what ends by itself right after the shell", async () => {
    // Its input ends with the shell.
    const input = join(folder, randomUUID());
    const line = `mkfifo ${input}; (read -r _ < ${input}; echo late) & exec 3> ${input}; echo soon`;
    const result = await processes.runShell(line, {
      cwd: folder,
      environment,
      bounds,
      signal: new AbortController().signal,
    });
    expect(result).toMatchObject({ stdout: { text: "soon\nlate\n" }, leftBehind: 0, remaining: 0 });
  });

  test("leaves other processes alone", async () => {
    const marker = randomUUID();
    const other = spawn("sh", ["-c", "while :; do sleep 1; done", marker], {
      stdio: "ignore",
      detached: true,
    });
    try {
      await processes.runShell(`${stays(randomUUID(), join(folder, marker))} & true`, {
        cwd: folder,
        environment,
        bounds,
        signal: new AbortController().signal,
      });
      expect(marked(marker)).toEqual([String(other.pid)]);
    } finally {
      process.kill(-(other.pid as number), "SIGKILL");
    }
  });

  test("spares the session of a stranger that started something with a command's environment", async () => {
    const [leader, child] = [randomUUID(), randomUUID()];
    const [cookie, up] = [join(folder, leader), join(folder, child)];
    const start = `HAFT_PROCESS=$(cat ${cookie}) ${stays(child, up)} &`;
    const line = `until [ -s ${cookie} ]; do sleep 0.01; done; ${start} while :; do sleep 1; done`;
    const stranger = spawn("sh", ["-c", line, leader], { stdio: "ignore", detached: true });
    try {
      const { leftBehind } = await processes.runShell(
        `echo "$HAFT_PROCESS" > ${cookie}; until [ -e ${up} ]; do sleep 0.01; done`,
        { cwd: folder, environment, bounds, signal: new AbortController().signal },
      );
      expect({
        leftBehind: leftBehind > 0,
        child: marked(up),
        leader: marked(leader).includes(String(stranger.pid)),
      }).toEqual(
        level !== undefined && keepsPromises(level, ["own process tree"])
          ? { leftBehind: false, child: expect.arrayContaining([String(stranger.pid)]), leader: true }
          : { leftBehind: true, child: [String(stranger.pid)], leader: true },
      );
    } finally {
      process.kill(-(stranger.pid as number), "SIGKILL");
    }
  });
});

describe.runIf(hasProc)("The process helper", () => {
  test("is replaced when it is killed; what it ran is ended, and the call says that its outcome is unknown", async () => {
    await using processes = new Processes();
    const marker = randomUUID();
    const file = join(folder, marker);
    // `true` keeps the shell from becoming `setsid`, which would leave the rest to another process, and end.
    const line = `echo $PPID; ${hasSetsid ? "setsid" : ""} ${stays(marker, file)}; true`;
    const run = processes.runShell(line, {
      cwd: folder,
      environment,
      bounds,
      signal: new AbortController().signal,
      onOutput: (_name, helperPid) => {
        void until(() => marked(marker).length > 0).then(() => process.kill(Number(helperPid), "SIGKILL"));
      },
    });
    const error: unknown = await run.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HostError);
    expect((error as HostError).code).toBe("PROCESS_LOST");
    expect(marked(marker)).toEqual([]);
    const next = await processes.run(["echo", "again"], {
      cwd: folder,
      environment,
      bounds,
      signal: new AbortController().signal,
    });
    expect(next.stdout.text).toBe("again\n");
  });

  test("ends with the program that started it, and so does what it runs, also after kill -9", async () => {
    const marker = randomUUID();
    const file = join(folder, marker);
    const program = spawn(process.execPath, ["--input-type=module", "-e", programText(stays(marker, file))], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const helperPid = await new Promise<number>((resolve) =>
      program.stdout.once("data", (text) => resolve(Number(text))),
    );
    await until(() => marked(marker).length > 0);
    program.kill("SIGKILL");
    await until(() => marked(marker).length === 0 && !isAlive(helperPid));
  });

  test("does not keep a program alive that waits for nothing", async () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", programText("true")],
      {
        timeout: 50_000,
        encoding: "utf8",
      },
    );
    expect({ status, helperPid: Number(stdout) > 0 }).toEqual({ status: 0, helperPid: true });
    await until(() => !isAlive(Number(stdout)));
  });
});

/** A program that runs a line, prints the number of its helper, and never closes anything. */
function programText(line: string): string {
  return `
    import { Processes } from ${JSON.stringify(join(import.meta.dirname, "processes.ts"))};
    const processes = new Processes();
    await processes.runShell(${JSON.stringify(`echo $PPID; ${line}`)}, {
      cwd: ${JSON.stringify(folder)},
      environment: { PATH: process.env.PATH },
      signal: new AbortController().signal,
      onOutput: (_name, text) => console.log(text.trim()),
    });
  `;
}

function isAlive(pid: number): boolean {
  try {
    return !/ [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\)/s, ""));
  } catch {
    return false;
  }
}
