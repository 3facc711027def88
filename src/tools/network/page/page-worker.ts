import { answerFromWorker } from "../../worker/answer-from-worker.ts";
import { runPageJob } from "./page-job.ts";

await answerFromWorker(runPageJob);
