import { isRecord } from "../../base/index.ts";
import { startWorker, type WorkerJob } from "./start-worker.ts";

export type WorkerOutcome<Result> =
  | { readonly status: "done"; readonly result: Result }
  | { readonly status: "failed"; readonly reason: string };

export interface WorkerLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

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

function toOutcome<Result>(message: unknown): WorkerOutcome<Result> {
  if (isRecord(message) && "result" in message)
    return { status: "done", result: message["result"] as Result };
  return { status: "failed", reason: isRecord(message) ? String(message["error"]) : "no answer" };
}
