import { isRecord } from "../../base/index.ts";

export type WorkerOutcome<Result> =
  | { readonly status: "done"; readonly result: Result }
  | { readonly status: "failed"; readonly reason: string };

export interface WorkerLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface WorkerJob {
  /** A module that gives its answer by `answerFromWorker`; named as the source it is, `.ts`. */
  readonly entry: URL;
  readonly data: unknown;
  /** Parts of the data that are handed over, not copied; nobody here can use them any more. */
  readonly transfer?: readonly ArrayBuffer[];
}

/**
 * Does a job in a worker of its own, which is ended at `timeoutMs` and when the signal is aborted (rejects with its
 * reason). Memory and stack are bounded; a job that breaks them has failed, and nothing else has.
 */
export async function runInWorker<Result>(
  { entry, data, transfer = [] }: WorkerJob,
  { signal, timeoutMs }: WorkerLimits,
): Promise<WorkerOutcome<Result>> {
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
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 4 },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome<Result>>();
  const giveUp = () => reject(signal.reason);
  const timer = setTimeout(
    () => resolve({ status: "failed", reason: `it took longer than ${timeoutMs} ms` }),
    timeoutMs,
  );
  signal.addEventListener("abort", giveUp, { once: true });
  worker.once("message", (message: unknown) => resolve(toOutcome(message)));
  worker.once("error", (error) => resolve({ status: "failed", reason: error.message }));
  worker.once("exit", () => resolve({ status: "failed", reason: "its worker ended" }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    void worker.terminate();
  }
}

/** Sources run as they are in development, and as JavaScript when installed. */
function asInstalled(entry: URL): URL {
  return import.meta.url.endsWith(".js") ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry;
}

function toOutcome<Result>(message: unknown): WorkerOutcome<Result> {
  if (isRecord(message) && "result" in message)
    return { status: "done", result: message["result"] as Result };
  return { status: "failed", reason: isRecord(message) ? String(message["error"]) : "no answer" };
}
