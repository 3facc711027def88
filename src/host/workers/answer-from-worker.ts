import { parentPort, workerData } from "node:worker_threads";
import { getErrorMessage } from "../../base/index.ts";
import { begun } from "./start-worker.ts";

/** Does the one job of a worker: what it left behind, or hangs in, ends with it. */
export async function answerFromWorker<Data>(work: (data: Data) => Promise<unknown>): Promise<void> {
  parentPort?.postMessage(begun);
  try {
    parentPort?.postMessage({ result: await work(workerData as Data) });
  } catch (error) {
    parentPort?.postMessage({ error: getErrorMessage(error) });
  }
}
