import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import type { Socket } from "node:net";
import { dirname, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { HostError, type HostErrorCode } from "../errors.ts";
import type { Run, RunEnd, RunEvents, RunRequest, WaitRequest } from "./request.ts";
import { stopTree } from "./stop.ts";
import { cookieName, findMembers } from "./tree.ts";
import {
  type Frame,
  type FrameKind,
  FrameReader,
  frameKinds,
  fromPayload,
  toPayload,
  writeFrame,
} from "./wire.ts";

/** The helper ended, or never began, before it had started the process: somebody else may. */
export class HelperUnavailable extends Error {
  override readonly name = "HelperUnavailable";
}

/** A helper that has not reported the end of a stopped run by then hangs, and is ended itself. */
const stopTimeoutMs = 5000;

/** One helper process. It never keeps the program alive, except while a run waits for it. */
export class Helper {
  readonly #child: ChildProcess;
  readonly #stdin: Socket;
  readonly #stdout: Socket;
  readonly #runs = new Map<number, PendingRun>();
  #count = 0;
  #alive = true;
  #proven = false;

  /** @throws {HelperUnavailable} Where no process can be started at all. */
  constructor() {
    const extension = extname(fileURLToPath(import.meta.url));
    this.#child = spawn(process.execPath, [fileURLToPath(new URL(`./helper${extension}`, import.meta.url))], {
      stdio: ["pipe", "pipe", "ignore"],
      env: helperEnvironment(),
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.#child.on("error", () => this.#onEnd());
    this.#child.on("exit", () => this.#onEnd());
    if (!this.#child.stdin || !this.#child.stdout)
      throw new HelperUnavailable("Cannot start the process helper");
    // Node makes the pipes of a child process of sockets; only they can be waited for or not.
    this.#stdin = this.#child.stdin as Socket;
    this.#stdout = this.#child.stdout as Socket;
    const reader = new FrameReader((frame) => this.#onFrame(frame));
    this.#stdout.on("data", (chunk: Buffer) => reader.push(chunk));
    this.#stdin.on("error", () => this.#onEnd());
    this.#setAwaited(false);
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** It has answered at least once. */
  get proven(): boolean {
    return this.#proven;
  }

  /** Has a shell wait for a later run. */
  wait(request: WaitRequest): void {
    this.#send(frameKinds.wait, 0, toPayload(request));
  }

  /** Ends a shell that waits, if no run has it. */
  endWait(id: string): void {
    this.#send(frameKinds.endWait, 0, toPayload(id));
  }

  start(request: RunRequest, events: RunEvents): Run {
    const id = ++this.#count;
    const ended = new Promise<RunEnd>((resolve, reject) => {
      if (this.#runs.size === 0) this.#setAwaited(true);
      this.#runs.set(id, {
        request,
        events,
        resolve,
        reject,
        pid: undefined,
        startedAt: Date.now(),
        timer: undefined,
      });
      this.#send(frameKinds.start, id, toPayload(request));
    });
    return { ended, stop: () => this.#stop(id) };
  }

  /** Ends the helper and what it runs. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#alive) return resolve();
      this.#child.on("exit", () => resolve());
      this.#setAwaited(true);
      this.#stdin.end();
    });
  }

  #stop(id: number): void {
    const run = this.#runs.get(id);
    if (run === undefined || run.timer !== undefined) return;
    this.#send(frameKinds.stop, id, Buffer.alloc(0));
    run.timer = setTimeout(() => this.#child.kill("SIGKILL"), stopTimeoutMs);
  }

  #send(kind: FrameKind, id: number, payload: Buffer): void {
    writeFrame(this.#stdin, kind, id, payload);
  }

  #onFrame({ kind, run: id, payload }: Frame): void {
    this.#proven = true;
    const run = this.#runs.get(id);
    if (run === undefined) return;
    switch (kind) {
      case frameKinds.started:
        run.pid = fromPayload<number>(payload);
        return run.events.started(run.pid);
      case frameKinds.stdout:
        return run.events.output("stdout", payload);
      case frameKinds.stderr:
        return run.events.output("stderr", payload);
      case frameKinds.ended:
        this.#settle(id, run);
        return run.resolve(fromPayload<RunEnd>(payload));
      case frameKinds.failed: {
        const fault = fromPayload<{ code: HostErrorCode; message: string }>(payload);
        this.#settle(id, run);
        return run.reject(new HostError(fault.code, fault.message));
      }
      case frameKinds.start:
      case frameKinds.stop:
      case frameKinds.wait:
      case frameKinds.endWait:
        return; // These go the other way.
      default:
        return kind satisfies never;
    }
  }

  #settle(id: number, run: PendingRun): void {
    clearTimeout(run.timer);
    this.#runs.delete(id);
    if (this.#runs.size === 0) this.#setAwaited(false);
  }

  /** What the helper ran is ended from here, found by its cookie. */
  #onEnd(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#child.kill("SIGKILL");
    for (const [id, run] of this.#runs) {
      this.#settle(id, run);
      void endLostRun(run);
    }
  }

  /** Whether the program waits for the helper before it ends. */
  #setAwaited(awaited: boolean): void {
    for (const handle of [this.#child, this.#stdin, this.#stdout]) {
      if (awaited) handle.ref();
      else handle.unref();
    }
  }
}

interface PendingRun {
  readonly request: RunRequest;
  readonly events: RunEvents;
  readonly resolve: (end: RunEnd) => void;
  readonly reject: (error: Error) => void;
  readonly startedAt: number;
  pid: number | undefined;
  timer: NodeJS.Timeout | undefined;
}

async function endLostRun({ request, pid, startedAt, reject }: PendingRun): Promise<void> {
  const tree = {
    rootPid: pid ?? -1,
    cookie: request.cookie,
    startedAt: pid === undefined ? 0 : startedAt,
    confinement: request.confinement,
    rootExited: false,
  };
  const wasStarted = pid !== undefined || findMembers(tree).length > 0;
  if (!wasStarted) return reject(new HelperUnavailable("The process helper ended before it began"));
  const remaining = await stopTree(tree);
  const end =
    remaining === 0 ? "what it ran was stopped" : `${remaining} of its processes could not be stopped`;
  reject(
    new HostError(
      "PROCESS_LOST",
      `Cannot tell how "${request.file}" ended: the helper that ran it died; ${end}`,
      {
        details: { remaining },
      },
    ),
  );
}

/** Only what the helper itself needs: commands get the environment they are given. */
function helperEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of ["PATH", "TMPDIR", "TEMP", "SystemRoot", cookieName]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  // It starts in a third of the time with the code that a helper before it has compiled.
  const compiled = getCompileCacheDir();
  if (compiled !== undefined) environment["NODE_COMPILE_CACHE"] = dirname(compiled);
  return environment;
}
