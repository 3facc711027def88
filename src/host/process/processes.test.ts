import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { levelsHere, openSandbox } from "../../../test/support/sandbox-levels.ts";
import { HostError } from "../errors.ts";
import type { SandboxLevel } from "../sandbox/report.ts";
import { Processes, type ProcessOptions, type ProcessResult } from "./processes.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-processes-")));
afterAll(() => rmSync(folder, { recursive: true }));
// Another user has to write there too.
chmodSync(folder, 0o777);

interface Way {
  readonly from: "helper" | "direct";
  readonly level: SandboxLevel | undefined;
}

const ways: readonly Way[] = [
  { from: "helper", level: undefined },
  { from: "direct", level: undefined },
  ...(await levelsHere()).map((level): Way => ({ from: "helper", level })),
];

function open({ from, level }: Way): Processes {
  return new Processes({ from, ...(level !== undefined && { sandbox: openSandbox(level) }) });
}

const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const never = new AbortController().signal;
const options: ProcessOptions = { cwd: folder, environment, signal: never, bounds: { writable: [folder] } };

function output(text: string): ProcessResult["stdout"] {
  return { text, totalBytes: Buffer.byteLength(text), omittedBytes: 0, lossy: false };
}

function bare(stdout: string, stderr = "", exitCode = 0): ProcessResult {
  return {
    exitCode,
    signal: undefined,
    stdout: output(stdout),
    stderr: output(stderr),
    leftBehind: 0,
    remaining: 0,
  };
}

describe.for(ways)("Processes from $from, level $level", (way) => {
  const processes = open(way);
  const confinement =
    way.level === undefined
      ? {}
      : { confinement: { level: way.level, refusedHosts: [], failedHosts: [], findings: [] } };
  const ended = (...outcome: Parameters<typeof bare>) => ({ ...bare(...outcome), ...confinement });
  afterAll(() => processes.close());

  test("run() gives arguments, folder and environment exactly, and adds only its own variable", async () => {
    const script =
      'printf "%s|" "$@"; pwd; env | grep -v -e "^HAFT_PROCESS=" -e "^_=" -e "^PWD=" -e "^SHLVL="';
    const args = ["a b", "$(id)", "", "-n", "'\"", "ä€😀", "line\nbreak"];
    const result = await processes.run(["sh", "-c", script, "sh", ...args], {
      ...options,
      environment: { ...environment, ODD: "x y\n=€" },
    });
    const expected = `${args.join("|")}|${folder}\nPATH=${environment.PATH}\nODD=x y\n=€\n`;
    expect({ ...result, stdout: { ...result.stdout, text: sorted(result.stdout.text) } }).toEqual({
      ...ended(expected),
      stdout: { ...output(expected), text: sorted(expected) },
    });
  });

  test("run() gives stdin, and an empty stream where there is none", async () => {
    expect(await processes.run(["cat"], { ...options, stdin: "grüße" })).toEqual(ended("grüße"));
    expect(await processes.run(["cat"], { ...options, stdin: new Uint8Array([104, 105]) })).toEqual(
      ended("hi"),
    );
    expect(await processes.run(["cat"], options)).toEqual(ended(""));
    expect(await processes.run(["true"], { ...options, stdin: "x".repeat(300_000) })).toEqual(ended(""));
  });

  test("runShell() returns both outputs and the exit code, and tells of signals as shells do", async () => {
    expect(await processes.runShell("echo out; echo err >&2; exit 3", options)).toEqual(
      ended("out\n", "err\n", 3),
    );
    expect(await processes.runShell("kill -SEGV $$", options)).toEqual({
      ...ended("", "", 139),
      signal: "SIGSEGV",
    });
  });

  test("runShell() takes a line that begins with a dash, and one longer than an argument may be", async () => {
    expect((await processes.runShell("-no-such-program", options)).exitCode).toBe(127);
    const long = `: ${"x".repeat(300_000)}\ncat; echo "$0" $#`;
    expect((await processes.runShell(long, { ...options, stdin: "in " })).stdout.text).toMatch(
      /^in \S*sh 0\n$/,
    );
  });

  test("runShell() gives outputs that can be opened by path", async () => {
    const line = "echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr";
    expect(await processes.runShell(line, options)).toEqual(ended("one\nthree\n", "two\nthree\n"));
  });

  test("runShell() reads no start-up file", async () => {
    for (const name of [".bashrc", ".bash_profile", ".profile"])
      writeFileSync(join(folder, name), "echo started");
    expect(
      await processes.runShell("true", {
        ...options,
        environment: { ...environment, HOME: folder },
        stdin: "",
      }),
    ).toEqual(ended(""));
  });

  test("run() says why a process could not be started", async () => {
    writeFileSync(join(folder, "plain"), "", { mode: 0o644 });
    const catchCode = async (run: Promise<unknown>) => {
      const error: unknown = await run.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(HostError);
      return (error as HostError).code;
    };
    expect(await catchCode(processes.run(["no-such-program"], options))).toBe("PROCESS_NOT_FOUND");
    expect(await catchCode(processes.run([join(folder, "plain")], options))).toBe("PROCESS_NOT_EXECUTABLE");
    expect(await catchCode(processes.run(["echo", "a\0b"], options))).toBe("PROCESS_ARGUMENTS");
    expect(await catchCode(processes.runShell("echo a\0b", options))).toBe("PROCESS_ARGUMENTS");
    expect(await catchCode(processes.run(["echo", "x".repeat(3_000_000)], options))).toBe(
      "PROCESS_ARGUMENTS",
    );
    expect(await catchCode(processes.run(["true"], { ...options, cwd: join(folder, "none") }))).toBe(
      "PROCESS_FOLDER",
    );
    expect(await catchCode(processes.run(["true"], { ...options, cwd: join(folder, "plain") }))).toBe(
      "PROCESS_FOLDER",
    );
  });

  test("run() keeps the beginning and the end of a flood, counts all of it, and tells of both", async () => {
    const told: string[] = [];
    const { stdout, stderr } = await processes.runShell(
      "yes 0123456 | head -c 40000000; echo last; yes e | head -c 9 >&2",
      {
        ...options,
        maxOutputBytes: 1000,
        onOutput: (name, text) => name === "stdout" && told.push(text),
      },
    );
    const text = `${"0123456\n".repeat(63).slice(0, 500)}\n[40 MB of output left out here]\n${"0123456\n".repeat(63).slice(-495)}last\n`;
    expect(stdout).toEqual({ text, totalBytes: 40_000_005, omittedBytes: 39_999_005, lossy: false });
    expect(told.join("")).toBe(text);
    expect(stderr).toEqual(output("e\ne\ne\ne\ne"));
  });

  test("run() marks output that is not UTF-8", async () => {
    expect((await processes.runShell("printf 'a\\377b'", options)).stdout).toEqual({
      text: "a\ufffdb",
      totalBytes: 3,
      omittedBytes: 0,
      lossy: true,
    });
  });

  test("run() tells of output while the command runs, and rejects with the reason once it is aborted", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const told: string[] = [];
    const run = processes.runShell("trap '' TERM; echo begun; while :; do sleep 1; done", {
      ...options,
      signal: stop.signal,
      onOutput(_name, text) {
        told.push(text);
        stop.abort(reason);
      },
    });
    await expect(run).rejects.toBe(reason);
    expect(told).toEqual(["begun\n"]);
  });

  test("run() starts nothing for a signal that is aborted already", async () => {
    const reason = new Error("too late");
    await expect(
      processes.run(["touch", "made"], { ...options, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect((await processes.run(["ls"], options)).stdout.text).not.toContain("made");
  });

  test("run() keeps many commands at once apart", async () => {
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        processes.runShell(`echo ${index}; echo ${-index} >&2; exit ${index}`, options),
      ),
    );
    expect(results).toEqual(results.map((_, index) => ended(`${index}\n`, `${-index}\n`, index)));
  });
});

test.for(ways)(
  "Processes.close() ends what runs and starts nothing more, from $from, level $level",
  async (way) => {
    const processes = open(way);
    const run = processes.runShell("echo begun; exec sleep 600", {
      ...options,
      onOutput: () => void processes.close(),
    });
    expect(await run).toMatchObject({ signal: "SIGTERM", exitCode: 143, stdout: { text: "begun\n" } });
    await expect(processes.run(["true"], options)).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
  },
);

function sorted(lines: string): string {
  return lines.split("\n").sort().join("\n");
}

test("Processes.close() starts nothing that was being enclosed", async () => {
  const enclosing = Promise.withResolvers<void>();
  let releases = 0;
  const processes = new Processes({
    sandbox: {
      async enclose({ file, args, environment: variables }) {
        await enclosing.promise;
        return {
          level: "none",
          file,
          args,
          environment: variables,
          confinement: undefined,
          refusedHosts: () => [],
          failedHosts: () => [],
          release: () => void releases++,
        };
      },
    },
  });
  const running = processes.run(["true"], options);
  await processes.close();
  enclosing.resolve();
  await expect(running).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
  expect(releases).toBe(1);
});
