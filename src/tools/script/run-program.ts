import { messageOf, parseJson } from "../../base/index.ts";
import { startWorker } from "../documents/start-worker.ts";
import { ScriptError } from "./errors.ts";
import type { ScriptLimits } from "./limits.ts";
import type { AnswerMessage, ScriptEnd, ScriptFault, ScriptMessage, ScriptTask } from "./messages.ts";
import { ScriptCalls, type ScriptContext } from "./script-calls.ts";
import { computingFault, memoryFault } from "./script-faults.ts";

export interface ProgramResult {
  /** What the program gave; absent where it gave nothing. */
  readonly result?: unknown;
  readonly calls: number;
  /** The calls among them that failed, also where the program went on. */
  readonly failed?: readonly string[];
  readonly console?: string;
}

const entry = new URL("./script-worker.ts", import.meta.url);
/** Of the worker itself, beside the program's; and a stack that the engine's own limit lies well within. */
const room = { memoryMb: 128, stackMb: 8 };
/**
 * The engine stops a program that has had its time of the processor. Where it can't, as within one operation that takes
 * for ever, its worker is ended, after more time than a busy machine needs for that.
 */
const watchMs = ({ computeMs }: ScriptLimits) => 3 * computeMs + 1000;

/** Runs a program in a worker of its own, which is ended with it. Rejects with the reason of the signal when that is aborted. */
export async function runProgram(
  code: string,
  limits: ScriptLimits,
  context: ScriptContext,
): Promise<ProgramResult> {
  const { signal } = context;
  const data: ScriptTask = { code, limits };
  const worker = await startWorker({ entry, data }, room, signal);
  const calls = new ScriptCalls(context, limits);
  let console = "";
  let waiting = 0;
  let watch: NodeJS.Timeout | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<ScriptEnd>();
  const giveUp = () => reject(signal.reason);
  const fail = (fault: ScriptFault) => resolve({ type: "failed", fault });
  /** While no call of it runs, it computes. */
  const startWatch = () => {
    watch = setTimeout(() => fail(computingFault(limits)), watchMs(limits));
  };
  const make = async (id: number, call: string) => {
    waiting++;
    clearTimeout(watch);
    const answer = await calls.make(call);
    if (--waiting === 0) startWatch();
    worker.postMessage({ id, answer } satisfies AnswerMessage);
  };
  worker.on("message", (message: ScriptMessage) => {
    switch (message.type) {
      case "started":
        startWatch();
        break;
      case "called":
        make(message.id, message.call).catch(reject);
        break;
      case "printed":
        console += message.text;
        context.output(message.text);
        break;
      case "done":
      case "failed":
        resolve(message);
    }
  });
  worker.once("error", (error) => fail(engineFault(error, limits)));
  worker.once("exit", () => fail(engineFault("its worker ended", limits)));
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    const end = await promise;
    if (end.type === "failed") throw new ScriptError(end.fault.code, end.fault.message, end.fault);
    return {
      ...(end.result !== undefined && { result: parseJson(end.result) }),
      calls: calls.made,
      ...(calls.failed.length > 0 && { failed: calls.failed }),
      ...(console !== "" && { console }),
    };
  } finally {
    clearTimeout(watch);
    signal.removeEventListener("abort", giveUp);
    calls.end();
    await worker.terminate();
  }
}

function engineFault(error: unknown, limits: ScriptLimits): ScriptFault {
  const why = messageOf(error);
  if (Object(error).code === "ERR_WORKER_OUT_OF_MEMORY") return memoryFault(limits, why);
  return { code: "SCRIPT_ENGINE", message: `Cannot run the script: ${why}; try it again` };
}
