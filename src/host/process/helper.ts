import { closeSync, readdirSync, readFileSync } from "node:fs";
import { getErrorMessage } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import { PipePool } from "./pipes.ts";
import type { OutputName, Run, RunRequest, WaitRequest } from "./request.ts";
import { startRun } from "./run.ts";
import { WaitingShells } from "./waiting-shells.ts";
import { type Frame, FrameReader, frameKinds, fromPayload, toPayload, writeFrame } from "./wire.ts";

/*
 * The program of the process helper. Starting a process costs time in proportion to the memory of whoever starts
 * it, and stops everything else for as long; this process is small and stays so. It reads frames from stdin and
 * answers on stdout. When stdin ends, haft has ended, however it did: all that runs is ended, and then this.
 */

closeInherited();
const pipes = new PipePool();
const shells = new WaitingShells(pipes);
const runs = new Map<number, Run>();

function onFrame({ kind, run, payload }: Frame): void {
  if (kind === frameKinds.start) start(run, fromPayload<RunRequest>(payload));
  else if (kind === frameKinds.stop) runs.get(run)?.stop();
  else if (kind === frameKinds.wait) shells.start(fromPayload<WaitRequest>(payload));
  else if (kind === frameKinds.endWait) void shells.end(fromPayload<string>(payload));
}

function start(id: number, request: RunRequest): void {
  const run = startRun(
    request,
    {
      started: (pid) => writeFrame(process.stdout, frameKinds.started, id, toPayload(pid)),
      output: (name: OutputName, bytes) => writeFrame(process.stdout, frameKinds[name], id, bytes),
    },
    { pipes, shells },
  );
  runs.set(id, run);
  run.ended
    .then(
      (end) => writeFrame(process.stdout, frameKinds.ended, id, toPayload(end)),
      (error: unknown) => writeFrame(process.stdout, frameKinds.failed, id, toPayload(toFault(error))),
    )
    .finally(() => runs.delete(id));
}

/** How a HostError crosses the wire. */
function toFault(error: unknown): { code: string; message: string } {
  return {
    code: error instanceof HostError ? error.code : "PROCESS_NOT_STARTED",
    message: getErrorMessage(error),
  };
}

let ending = false;

function end(): void {
  if (ending) return;
  ending = true;
  const ended = Array.from(runs.values(), (run) => {
    run.stop();
    return run.ended.catch(() => {});
  });
  void Promise.all(ended).then(() => process.exit());
}

const reader = new FrameReader(onFrame);
process.stdin.on("data", (chunk: Buffer) => reader.push(chunk));
process.stdin.on("close", end);
process.stdin.on("error", end);
process.stdout.on("error", end);
process.on("SIGTERM", end);
process.on("SIGINT", end);
process.on("SIGHUP", end);

/**
 * Closes file descriptors that haft inherited, which every command would inherit too. Node marks what it opens to be
 * closed at the start of another program; what is not marked is not ours.
 */
function closeInherited(): void {
  if (process.platform !== "linux") return;
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    try {
      if (fd > 2 && !closesOnExec(fd)) closeSync(fd);
    } catch {
      // The one by which the folder was read.
    }
  }
}

function closesOnExec(fd: number): boolean {
  const [, flags = "0"] =
    /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
  return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
}
