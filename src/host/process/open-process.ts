import type { Readable, Writable } from "node:stream";
import type { HostError } from "../errors.ts";
import { TailBytes } from "./kept-bytes.ts";
import type { RunRequest } from "./request.ts";
import { awaitExit, checkFolder, exitSoon, spawnChild } from "./run.ts";
import { stopLeftBehind, stopTree } from "./stop.ts";
import { readSupervisor } from "./streams.ts";
import type { ProcessTree } from "./tree.ts";

/** A program that goes on while it is talked to: a server, a worker. */
export interface OpenProcess {
  readonly pid: number;
  /** Writes after the program's end are lost; `ended` tells when that is. */
  readonly stdin: Writable;
  /** A program that says more than its reader takes has to wait. */
  readonly stdout: Readable;
  /** The last 64 KiB of its other output. */
  stderrTail(): string;
  /** Resolves when nothing of it is left. Never rejects. */
  readonly ended: Promise<OpenProcessEnd>;
  /** Ends its input and gives it time to go by itself; then ends it. @param graceMs default 2,000 */
  close(graceMs?: number): Promise<void>;
}

/** How a process ended that was kept open. */
export interface OpenProcessEnd {
  /** -1 for a process that a signal ended, or that could not be ended. */
  readonly exitCode: number;
  readonly signal: string | undefined;
  /** Processes of it that could not be ended: another user's, or stuck in the kernel. */
  readonly remaining: number;
  /** Why what was to keep it in ended before it began. */
  readonly fault?: HostError;
}

export interface OpenRequest
  extends Pick<RunRequest, "file" | "args" | "cwd" | "environment" | "cookie" | "confinement"> {
  readonly signal: AbortSignal | undefined;
  readonly notBegun: ((said: string) => HostError) | undefined;
}

const stderrBytes = 65_536;
const defaultGraceMs = 2000;
/** Time that a supervisor has for its report at the end. */
const saidMs = 100;

/** @throws {HostError} PROCESS_FOLDER, PROCESS_NOT_FOUND, PROCESS_NOT_EXECUTABLE, PROCESS_ARGUMENTS, PROCESS_NOT_STARTED */
export async function openProcess(request: OpenRequest): Promise<OpenProcess> {
  const { cookie, confinement, signal, notBegun } = request;
  checkFolder(request.cwd);
  const supervisor = confinement?.supervised === true ? (["pipe"] as const) : [];
  const child = await spawnChild(request, ["pipe", "pipe", "pipe", ...supervisor]);
  const tree: ProcessTree = {
    rootPid: child.pid as number,
    cookie,
    startedAt: Date.now(),
    confinement,
    rootExited: false,
  };
  const exited = awaitExit(child, tree);
  const readSaid = readSupervisor(child, { status: undefined }, request);
  const [stdin, stdout, stderr] = [
    child.stdin as Writable,
    child.stdout as Readable,
    child.stderr as Readable,
  ];
  const tail = new TailBytes(stderrBytes);
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => {});
  stderr.on("data", (chunk: Buffer) => tail.push(chunk));
  const stderrTail = () => Buffer.from(tail.bytes()).toString("utf8");

  const stop = Promise.withResolvers<undefined>();
  const abort = () => stop.resolve(undefined);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();

  const toEnd = async (): Promise<OpenProcessEnd> => {
    const exit = await Promise.race([exited, stop.promise]);
    const said = exit === undefined ? undefined : await readSaid(saidMs);
    const remaining =
      said === undefined ? await stopTree(tree) : (await stopLeftBehind(tree, said.leftBehind)).remaining;
    signal?.removeEventListener("abort", abort);
    const { exitCode, signal: by } = exit ?? (await exitSoon(exited));
    stdin.destroy();
    stderr.destroy();
    return {
      exitCode: exitCode ?? -1,
      signal: by ?? undefined,
      remaining,
      ...(said?.begun === false && notBegun !== undefined && { fault: notBegun(stderrTail().trim()) }),
    };
  };
  const ended = toEnd();
  return {
    pid: tree.rootPid,
    stdin,
    stdout,
    stderrTail,
    ended,
    async close(graceMs = defaultGraceMs) {
      stdin.end();
      const timer = setTimeout(abort, graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
