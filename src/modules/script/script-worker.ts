import { parentPort, workerData } from "node:worker_threads";
import type { AnswerMessage, ScriptTask } from "./messages.ts";
import { ScriptProgram } from "./script-program.ts";

/** The program of a worker: one script. Its engine, and what that holds, ends with it. */
const { code, limits } = workerData as ScriptTask;
const program = await ScriptProgram.open(limits, (message) => parentPort?.postMessage(message));
parentPort?.on("message", ({ id, answer }: AnswerMessage) => program.answer(id, answer));
parentPort?.postMessage({ type: "started" });
program.start(code);
