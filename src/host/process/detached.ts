import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { type Clock, getErrorCode, systemClock } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import { cutLog } from "../log-file.ts";

export interface DetachedRequest {
  readonly program: readonly [file: string, ...args: string[]];
  readonly cwd: string;
  /** What the program says goes to the end of this file, which is cut first where it is too large. */
  readonly logFile: string;
  /** How long it may take until it calls {@link tellStarter}. @default 60 s */
  readonly maxMs?: number;
  /** How long it may take to end after SIGTERM. @default 5 s */
  readonly graceMs?: number;
  /** Gives the start up. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a program that outlives this one. Resolves with its id once it calls {@link tellStarter}. A program that does not
 * in time, or whose start is cancelled, is ended with the processes of its group.
 *
 * @throws {HostError} PROCESS_NOT_STARTED where it ends before that, or says nothing
 */
export function startDetached({
  program,
  cwd,
  logFile,
  maxMs = 60_000,
  graceMs = 5000,
  signal,
}: DetachedRequest): Promise<number> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const [file, ...args] = program;
  cutLog(logFile);
  const log = openSync(logFile, "a", 0o600);
  const begin = fstatSync(log).size;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const fault = (why: string) =>
    new HostError("PROCESS_NOT_STARTED", `Cannot start "${file}": ${why}; "${logFile}" has all that it said`);
  const child = spawn(file, args, { cwd, detached: true, stdio: ["ignore", log, log, "ipc"] });
  closeSync(log);
  let ended: unknown;
  let killing: NodeJS.Timeout | undefined;
  const end = (reason: unknown) => {
    ended ??= reason;
    signalGroup(child, "SIGTERM");
    killing ??= setTimeout(() => signalGroup(child, "SIGKILL"), graceMs);
  };
  const cancel = () => end(signal?.reason);
  const late = setTimeout(
    () => end(fault(`it did not say within ${Math.ceil(maxMs / 1000)} s that it works, and was ended`)),
    maxMs,
  );
  signal?.addEventListener("abort", cancel, { once: true });
  const settle = () => {
    clearTimeout(late);
    clearTimeout(killing);
    signal?.removeEventListener("abort", cancel);
    child.removeAllListeners();
  };
  child.once("error", (error) => {
    settle();
    reject(fault(error.message));
  });
  child.once("exit", (code, by) => {
    settle();
    // What it started may be left.
    signalGroup(child, "SIGKILL");
    const last = lastLine(logFile, begin);
    const why = `it ended with ${by ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`;
    reject(ended ?? fault(why));
  });
  child.on("message", () => {
    if (ended !== undefined) return;
    settle();
    child.disconnect();
    child.unref();
    resolve(child.pid as number);
  });
  return promise;
}

/** Signals a process that was started detached, and all others of its group. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (getErrorCode(error) !== "ESRCH") throw error;
  }
}

/** The last line that was written to the log since, cut where it is very long. */
function lastLine(logFile: string, begin: number): string {
  const log = readFileSync(logFile);
  // A log that is shorter than it was has been cut since.
  const said = log
    .subarray(log.length < begin ? 0 : begin)
    .toString()
    .trim();
  return said.slice(said.lastIndexOf("\n") + 1).slice(0, 1000);
}

/** Tells the program that started this one with {@link startDetached}, if one did, that all is in place. */
export function tellStarter(): void {
  if (process.connected) process.send?.("started");
}

/** Whether a process of this id is there, be it another user's. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrorCode(error) === "EPERM";
  }
}

/** Time that a program has to answer: one that has just started takes seconds on a busy machine. */
const answerMs = 10_000;

/** What another program of this machine answers, as text; undefined if none comes within 10 s. */
export async function askLocal(
  url: string,
  headers: Readonly<Record<string, string>>,
  method: "GET" | "POST" | "DELETE" = "GET",
  clock: Clock = systemClock,
): Promise<string | undefined> {
  const late = new AbortController();
  const stopClock = clock.after(answerMs, () => late.abort());
  try {
    const answer = await fetch(url, { method, headers, redirect: "error", signal: late.signal });
    return answer.ok ? (await answer.text()).slice(0, 10_000) : undefined;
  } catch {
    return undefined;
  } finally {
    stopClock();
  }
}
