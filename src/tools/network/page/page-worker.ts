import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../../base/index.ts";
import type { PageJob } from "./page-job.ts";
import { runPageJob } from "./page-job.ts";

// One job for each worker: what it left behind, or hangs in, ends with it.
try {
  parentPort?.postMessage({ result: await runPageJob(workerData as PageJob) });
} catch (error) {
  parentPort?.postMessage({ error: messageOf(error) });
}
