import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { codeOf } from "../base/index.ts";
import { HostError } from "./errors.ts";

export interface DetachedRequest {
  readonly program: readonly [file: string, ...args: string[]];
  readonly cwd: string;
  /** What the program says goes to the end of this file. */
  readonly logFile: string;
}

/**
 * Starts a program that outlives this one. Resolves with its id once it calls {@link tellStarter}.
 *
 * @throws {HostError} PROCESS_NOT_STARTED where it ends before that
 */
export function startDetached({ program, cwd, logFile }: DetachedRequest): Promise<number> {
  const [file, ...args] = program;
  const log = openSync(logFile, "a", 0o600);
  const begin = fstatSync(log).size;
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(
        new HostError(
          "PROCESS_NOT_STARTED",
          `Cannot start "${file}": ${why}; "${logFile}" has all that it said`,
        ),
      );
    const child = spawn(file, args, { cwd, detached: true, stdio: ["ignore", log, log, "ipc"] });
    closeSync(log);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => {
      const last = lastLine(logFile, begin);
      fail(`it ended with ${signal ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`);
    });
    child.once("message", () => {
      child.removeAllListeners();
      child.disconnect();
      child.unref();
      resolve(child.pid as number);
    });
  });
}

/** The last line that was written to the log since, cut where it is very long. */
function lastLine(logFile: string, begin: number): string {
  const said = readFileSync(logFile).subarray(begin).toString().trim();
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
    return codeOf(error) === "EPERM";
  }
}

/** What another program of this machine answers, as text; undefined where none does within a second. */
export async function askLocal(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(1000) });
    return answer.ok ? (await answer.text()).slice(0, 10_000) : undefined;
  } catch {
    return undefined;
  }
}
