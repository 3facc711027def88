import { answerFromWorker } from "../../../host/index.ts";
import { runPageJob } from "./page-job.ts";

await answerFromWorker(runPageJob);
