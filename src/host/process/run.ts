import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { getErrorCode } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import type { PipePool } from "./pipes.ts";
import type { Run, RunEnd, RunEvents, RunRequest } from "./request.ts";
import { startFault } from "./start-fault.ts";
import { stopLeftBehind, stopTree } from "./stop.ts";
import {
  closeChildEnds,
  closeStreams,
  feedInputs,
  openStreams,
  readOutput,
  readSupervisor,
  type StandardStreams,
  toStdio,
} from "./streams.ts";
import type { ProcessTree } from "./tree.ts";

/** A process that could not be ended may hold its outputs: they, and its exit, are given up after this. */
const graceMs = 100;

/** Starts a process from this very process. */
export function startRun(
  request: RunRequest,
  events: RunEvents,
  { pipes, shells }: { readonly pipes: PipePool; readonly shells?: ShellSource },
): Run {
  const stop = Promise.withResolvers<undefined>();
  return {
    ended: runToEnd(request, { events, pipes, shells, stop: stop.promise }),
    stop: () => stop.resolve(undefined),
  };
}

interface RunPorts {
  readonly events: RunEvents;
  readonly pipes: PipePool;
  readonly shells: ShellSource | undefined;
  readonly stop: Promise<undefined>;
}

async function runToEnd(given: RunRequest, { events, pipes, shells, stop }: RunPorts): Promise<RunEnd> {
  const { launch } = given;
  const waiting = launch && (await shells?.take(launch.id));
  try {
    checkFolder(given.cwd);
  } catch (error) {
    // A shell that waits ends with its input.
    if (waiting !== undefined) closeStreams(waiting.streams);
    throw error;
  }
  const request = waiting === undefined ? given : { ...given, stdin: Buffer.from(launch?.text ?? "") };
  const streams = waiting?.streams ?? (await openStreams(request, pipes));
  const child = waiting?.child ?? (await spawnWith(streams, request));
  const tree: ProcessTree = {
    rootPid: child.pid as number,
    cookie: request.cookie,
    startedAt: Date.now(),
    confinement: request.confinement,
    rootExited: false,
  };
  const exited = awaitExit(child, tree);
  const stdout = readOutput(child, "stdout", { pipe: streams.stdout, request, events });
  const stderr = readOutput(child, "stderr", { pipe: streams.stderr, request, events });
  const readSaid = readSupervisor(child, streams, request);
  const closeInputs = feedInputs(child, streams, request);
  events.started(tree.rootPid);

  const exit = await Promise.race([exited, stop]);
  const said = exit === undefined ? undefined : await readSaid(graceMs);
  const leftBehind =
    said === undefined
      ? { ended: 0, remaining: await stopTree(tree) }
      : await stopLeftBehind(tree, said.leftBehind);
  closeInputs();
  const outputs = { stdout: await stdout.end(graceMs), stderr: await stderr.end(graceMs) };
  return {
    ...(exit ?? (await exitSoon(exited))),
    ...outputs,
    leftBehind,
    begun: said?.begun ?? true,
    vanished: said?.vanished ?? [],
  };
}

type Exit = Pick<RunEnd, "exitCode" | "signal">;

export function awaitExit(child: ChildProcess, tree: ProcessTree): Promise<Exit> {
  return new Promise((resolve) => {
    child.on("exit", (exitCode, signal) => {
      tree.rootExited = true;
      resolve({ exitCode, signal });
    });
  });
}

/** A process that could not be ended has no exit to tell of. */
export function exitSoon(exited: Promise<Exit>): Promise<Exit> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ exitCode: null, signal: null }), graceMs);
    void exited.then((exit) => {
      clearTimeout(timer);
      resolve(exit);
    });
  });
}

/** @throws {HostError} PROCESS_FOLDER */
export function checkFolder(cwd: string): void {
  if (!isFolder(cwd)) {
    throw new HostError(
      "PROCESS_FOLDER",
      `Cannot start a process in "${cwd}": it is not a folder that can be entered; name one that is`,
    );
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Starts a process with these pipes, whose other ends stay open here. */
export async function spawnWith(streams: StandardStreams, request: SpawnRequest): Promise<ChildProcess> {
  try {
    const child = await spawnChild(request, toStdio(streams, request));
    closeChildEnds(streams);
    return child;
  } catch (error) {
    closeStreams(streams);
    throw error;
  }
}

/** A place from which a shell is taken that was started ahead of its command. */
interface ShellSource {
  take(id: string): Promise<{ readonly child: ChildProcess; readonly streams: StandardStreams } | undefined>;
}

type SpawnRequest = Pick<
  RunRequest,
  "file" | "args" | "cwd" | "environment" | "stdin" | "script" | "confinement"
>;

/** @throws {HostError} PROCESS_NOT_FOUND, PROCESS_NOT_EXECUTABLE, PROCESS_ARGUMENTS, PROCESS_NOT_STARTED */
export async function spawnChild(
  { file, args, cwd, environment }: Pick<RunRequest, "file" | "args" | "cwd" | "environment">,
  stdio: StdioOptions,
): Promise<ChildProcess> {
  try {
    const child = spawn(file, args, {
      cwd,
      env: environment,
      stdio,
      // A session and group of its own: signals to it reach nothing of ours, and it has no terminal.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    if (child.pid === undefined) throw await new Promise((resolve) => child.on("error", resolve));
    return child;
  } catch (error) {
    throw startFault({ file, path: environment["PATH"] }, getErrorCode(error), error);
  }
}
