import type { Worker } from "node:worker_threads";
import { getErrorMessage, parseJson } from "../../base/index.ts";
import { startWorker } from "../../host/index.ts";
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
/**
 * The memory of the worker itself, beside the program's; and a stack that the engine's own limit lies well
 * within.
 */
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
  const program = new RunningProgram(worker, limits, context);
  const giveUp = () => program.giveUp(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await program.result();
  } finally {
    signal.removeEventListener("abort", giveUp);
    program.close();
    await worker.terminate();
  }
}

/** What one worker says and is told, from its start to its end. */
class RunningProgram {
  readonly #worker: Worker;
  readonly #limits: ScriptLimits;
  readonly #context: ScriptContext;
  readonly #calls: ScriptCalls;
  readonly #end = Promise.withResolvers<ScriptEnd>();
  #console = "";
  /** Calls of it that run. */
  #waiting = 0;
  #watch: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(worker: Worker, limits: ScriptLimits, context: ScriptContext) {
    this.#worker = worker;
    this.#limits = limits;
    this.#context = context;
    this.#calls = new ScriptCalls(context, limits);
    worker.on("message", (message: ScriptMessage) => this.#hear(message));
    worker.once("error", (error) => this.#fail(engineFault(error, limits)));
    worker.once("exit", () => this.#fail(engineFault("its worker ended", limits)));
  }

  /** @throws {ScriptError} what ended it. */
  async result(): Promise<ProgramResult> {
    const end = await this.#end.promise;
    if (end.type === "failed") throw new ScriptError(end.fault.code, end.fault.message, end.fault);
    const { made, failed } = this.#calls;
    return {
      ...(end.result !== undefined && { result: parseJson(end.result) }),
      calls: made,
      ...(failed.length > 0 && { failed }),
      ...(this.#console !== "" && { console: this.#console }),
    };
  }

  giveUp(reason: unknown): void {
    this.#end.reject(reason);
  }

  /** Ends its calls. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#watch);
    this.#calls.end();
  }

  #hear(message: ScriptMessage): void {
    switch (message.type) {
      case "started":
        return this.#startWatch();
      case "called":
        void this.#make(message.id, message.call).catch(this.#end.reject);
        return;
      case "printed":
        this.#console += message.text;
        return this.#context.output(message.text);
      case "done":
      case "failed":
        this.#end.resolve(message);
    }
  }

  async #make(id: number, call: string): Promise<void> {
    this.#waiting++;
    clearTimeout(this.#watch);
    const answer = await this.#calls.make(call);
    if (--this.#waiting === 0) this.#startWatch();
    this.#worker.postMessage({ id, answer } satisfies AnswerMessage);
  }

  /** While no call of it runs, it computes. */
  #startWatch(): void {
    if (this.#isOver) return;
    this.#watch = setTimeout(() => this.#fail(computingFault(this.#limits)), watchMs(this.#limits));
  }

  #fail(fault: ScriptFault): void {
    this.#end.resolve({ type: "failed", fault });
  }
}

function engineFault(error: unknown, limits: ScriptLimits): ScriptFault {
  const why = getErrorMessage(error);
  if (Object(error).code === "ERR_WORKER_OUT_OF_MEMORY") return memoryFault(limits, why);
  return { code: "SCRIPT_ENGINE", message: `Cannot run the script: ${why}; try it again` };
}
