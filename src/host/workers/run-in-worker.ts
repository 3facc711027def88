import { isRecord } from "../../base/index.ts";
import { begun, startWorker, type WorkerJob } from "./start-worker.ts";

export type WorkerOutcome<Result> =
  | { readonly status: "done"; readonly result: Result }
  | { readonly status: "failed"; readonly reason: string };

export interface WorkerLimits {
  readonly signal: AbortSignal;
  /** The time from when the worker has loaded its code: on a busy machine that alone takes seconds. */
  readonly timeoutMs: number;
}

/** How long a worker may take to load its code. */
const startMs = 30_000;

/**
 * Does a job in a worker of its own, which is ended at `timeoutMs` and when the signal is aborted (rejects with its
 * reason). Memory and stack are bounded; a job that breaks them has failed, and nothing else has.
 */
export async function runInWorker<Result>(
  job: WorkerJob,
  { signal, timeoutMs }: WorkerLimits,
): Promise<WorkerOutcome<Result>> {
  const worker = await startWorker(job, { memoryMb: 512, stackMb: 4 }, signal);
  const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome<Result>>();
  const giveUp = () => reject(signal.reason);
  const endAt = (ms: number) =>
    setTimeout(() => resolve({ status: "failed", reason: `it took longer than ${ms} ms` }), ms);
  let timer = endAt(startMs);
  signal.addEventListener("abort", giveUp, { once: true });
  worker.on("message", (message: unknown) => {
    if (message !== begun) return resolve(toOutcome(message));
    clearTimeout(timer);
    timer = endAt(timeoutMs);
  });
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

function toOutcome<Result>(message: unknown): WorkerOutcome<Result> {
  if (isRecord(message) && "result" in message)
    return { status: "done", result: message["result"] as Result };
  return { status: "failed", reason: isRecord(message) ? String(message["error"]) : "no answer" };
}
