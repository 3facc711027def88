import type { Worker } from "node:worker_threads";

/** What a worker says once it has loaded its code. */
export const begun = "begun";

export interface WorkerJob {
  /** The module that the worker runs; named as the source it is, `.ts`. */
  readonly entry: URL;
  readonly data: unknown;
  /** Parts of the data that are handed over, not copied; nobody here can use them any more. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface WorkerRoom {
  readonly memoryMb: number;
  readonly stackMb: number;
}

/** Starts a worker without environment or streams. Rejects with the reason of the signal where it is aborted already. */
export async function startWorker(
  { entry, data, transfer = [] }: WorkerJob,
  { memoryMb, stackMb }: WorkerRoom,
  signal: AbortSignal,
): Promise<Worker> {
  const { Worker } = await import("node:worker_threads");
  signal.throwIfAborted();
  const worker = new Worker(asInstalled(entry), {
    workerData: data,
    transferList: [...transfer],
    env: {},
    execArgv: [],
    // What a library prints must not end up in a protocol that speaks over this process's own streams.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: stackMb },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** Sources run as they are in development, and as JavaScript when installed. */
function asInstalled(entry: URL): URL {
  return import.meta.url.endsWith(".js") ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry;
}
