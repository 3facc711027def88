import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";

/** The system calls by which anything gets to a disk, or goes from it. */
export const diskCalls = [
  "pwrite64",
  "pwritev",
  "fdatasync",
  "fsync",
  "ftruncate",
  "fallocate",
  "unlink",
  "unlinkat",
  "rename",
  "renameat",
  "renameat2",
  "link",
  "mkdir",
] as const;
export type DiskCall = (typeof diskCalls)[number];

export interface InjectedFault {
  /** @default all of them */
  readonly calls?: readonly DiskCall[];
  /** As strace has it: `signal=KILL`, `error=EIO`. */
  readonly does: string;
  /** At which of the calls, counted from 1, for each thread by itself: `7`, or `1+` for all. */
  readonly when: string;
}

const fixtures = join(inject("built"), "test/fixtures/store");
/** Starting a process takes half the time with compiled code at hand. */
const cache = mkdtempSync(join(tmpdir(), "haft-compiled-"));
process.once("exit", () => rmSync(cache, { recursive: true, force: true }));

/** A fixture that has loaded its code and waits to be told to go. */
export class HeldProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  #tracer: ChildProcess | undefined;
  #output = "";
  readonly #heard: (() => void)[] = [];
  readonly closed: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      for (const heard of this.#heard.splice(0)) heard();
    });
    this.closed = once(child, "close").then(([exitCode, signal]) => {
      for (const heard of this.#heard.splice(0)) heard();
      return { exitCode: exitCode as number | null, signal: signal as string | null };
    });
  }

  static async start(fixture: string, args: readonly string[]): Promise<HeldProcess> {
    const child = spawn(process.execPath, [join(fixtures, "held.js"), join(fixtures, fixture), ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    });
    const held = new HeldProcess(child);
    await held.until(() => held.#output === "ready\n");
    if (held.#output === "") throw new Error(`Cannot start ${fixture}: it ended before it was ready`);
    return held;
  }

  /** All whole lines so far: the last one may have been cut short. */
  get lines(): readonly string[] {
    return this.#output
      .slice(0, this.#output.lastIndexOf("\n") + 1)
      .split("\n")
      .slice(0, -1);
  }

  go(): void {
    this.#child.stdin?.write("go\n");
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Resolves once what it said is enough; at the latest when it is gone. */
  async until(enough: () => boolean): Promise<void> {
    while (!enough() && this.#child.exitCode === null && this.#child.signalCode === null) {
      await new Promise<void>((heard) => void this.#heard.push(heard));
    }
  }

  /** From now on the fault happens, until `recover`. */
  async suffer({ calls = diskCalls, does, when }: InjectedFault): Promise<void> {
    const set = calls.join(",");
    const args = [
      "-f",
      "-p",
      String(this.#child.pid),
      "-e",
      `trace=${set}`,
      "-e",
      `inject=${set}:${does}:when=${when}`,
    ];
    const tracer = spawn("strace", [...args, "-o", "/dev/null"], { stdio: ["ignore", "ignore", "pipe"] });
    this.#tracer = tracer;
    const failed = once(tracer, "error").then(([error]) => Promise.reject(error as Error));
    const [said] = (await Promise.race([once(tracer.stderr, "data"), failed])) as [Buffer];
    if (!said.toString().includes("attached")) throw new Error(said.toString());
  }

  async recover(): Promise<void> {
    const tracer = this.#tracer;
    this.#tracer = undefined;
    if (tracer === undefined || tracer.exitCode !== null || tracer.signalCode !== null) return;
    const gone = once(tracer, "close");
    tracer.kill("SIGINT");
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.closed;
    await this.recover();
  }
}

/** Why no fault can be injected here; undefined where it can. */
export async function whyNoFaults(): Promise<string | undefined> {
  if (process.platform !== "linux") return "strace is of Linux alone";
  await using held = await HeldProcess.start("cycle.js", [":memory:", "a", "0"]);
  try {
    await held.suffer({ does: "signal=KILL", when: "1000" });
    return undefined;
  } catch (error) {
    return `strace can't be used: ${String(error)}`;
  }
}
