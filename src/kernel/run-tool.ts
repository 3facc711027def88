import { type Clock, isPromise, type MaybePromise, tailOf } from "../base/index.ts";
import type { Call } from "./call.ts";
import type { Origin, ToolContext, ToolUpdate } from "./context.ts";
import { ToolTimeoutError } from "./errors.ts";
import type { Redact } from "./redact.ts";
import type { Effect, ToolOutcome } from "./tool.ts";

export interface RunLimits {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly maxPartialChars: number;
  readonly clock: Clock;
  readonly redact: Redact | undefined;
}

/**
 * Runs the tool of a call until it returns, its deadline passes or its caller gives up. At either of the last two
 * the tool's signal is aborted and it has `graceMs` to stop; then the caller is answered without it.
 */
export function runTool(call: Call, limits: RunLimits): MaybePromise<unknown> {
  if (call.cancelled) throw call.cancellation();
  const context = new RunContext(call, limits);
  const outcome = call.tool.execute(call.params as never, context) as ToolOutcome;
  if (isGenerator(outcome)) return settle(call, context, drain(outcome, context), limits);
  return isPromise(outcome) ? settle(call, context, outcome, limits) : outcome;
}

function settle(
  call: Call,
  context: RunContext,
  work: PromiseLike<unknown>,
  { clock, timeoutMs, graceMs }: RunLimits,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let endGrace: (() => void) | undefined;
    const stop = (reason: Error) => {
      endGrace = clock.after(graceMs, () => {
        call.unsettled = done;
        reject(reason);
      });
      context.stop(reason);
    };
    const endWatch = call.watch(clock, timeoutMs, () => new ToolTimeoutError(call.toolName, timeoutMs), stop);
    const end = () => {
      endWatch();
      endGrace?.();
    };
    const done = Promise.resolve(work).then(
      (value) => {
        end();
        if (context.stopped !== undefined && call.unsettled === undefined)
          call.notes.push("it was told to stop, but had finished");
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(context.stopped ?? error);
      },
    );
    if (call.cancelled) stop(call.cancellation()); // By the tool itself, before the watch began.
  });
}

async function drain(
  generator: AsyncGenerator<ToolUpdate, unknown, void>,
  context: RunContext,
): Promise<unknown> {
  try {
    for (;;) {
      const step = await generator.next();
      if (step.done) return step.value;
      context.update(step.value);
      if (context.stopped !== undefined) throw context.stopped;
    }
  } finally {
    await generator.return(undefined);
  }
}

function isGenerator(outcome: ToolOutcome): outcome is AsyncGenerator<ToolUpdate, unknown, void> {
  return (
    typeof outcome === "object" && outcome !== null && Symbol.asyncIterator in outcome && "next" in outcome
  );
}

const nowhere: readonly string[] = [];

class RunContext implements ToolContext {
  readonly deadline: number;
  /** Why the tool was told to stop, once it was. */
  stopped: Error | undefined;
  readonly #call: Call;
  readonly #limits: RunLimits;
  #controller: AbortController | undefined;

  constructor(call: Call, limits: RunLimits) {
    this.#call = call;
    this.#limits = limits;
    this.deadline = limits.clock.now() + limits.timeoutMs;
  }

  get callId(): string {
    return this.#call.id;
  }
  get taskId(): string | undefined {
    return this.#call.context.taskId;
  }
  get agentId(): string | undefined {
    return this.#call.context.agentId;
  }
  get userId(): string | undefined {
    return this.#call.context.userId;
  }
  get scope(): string {
    return this.#call.scope;
  }
  get origin(): Origin | undefined {
    return this.#call.context.origin;
  }
  get allowedPaths(): readonly string[] {
    return this.#call.context.allowedPaths ?? nowhere;
  }
  get allowedHosts(): readonly string[] {
    return this.#call.context.allowedHosts ?? nowhere;
  }
  get effects(): readonly Effect[] {
    return this.#call.effects;
  }

  /** Made for those who look at it: most tools are done before they could. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.stopped !== undefined) this.#controller.abort(this.stopped);
    }
    return this.#controller.signal;
  }

  // The next two are functions of their own, so that a tool may take them out of its context.
  get progress(): ToolContext["progress"] {
    return (progress, total, message) =>
      this.update({
        type: "progress",
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      });
  }

  get output(): ToolContext["output"] {
    return (text) => this.update({ type: "output", text });
  }

  stop(reason: Error): void {
    this.stopped = reason;
    this.#controller?.abort(reason);
  }

  /** What a tool shows after its caller was answered reaches nobody. */
  update(update: ToolUpdate): void {
    const call = this.#call;
    const { maxPartialChars, redact } = this.#limits;
    if (call.over) return;
    if (update.type === "output") {
      call.partial += update.text;
      if (call.partial.length > 2 * maxPartialChars)
        call.partial = tailOf(redact?.(call.partial) ?? call.partial, maxPartialChars);
    }
    const shown = redact === undefined ? update : redactUpdate(update, redact);
    call.onUpdate?.(shown);
    call.context.onUpdate?.(shown);
  }
}

function redactUpdate(update: ToolUpdate, redact: Redact): ToolUpdate {
  if (update.type === "output") return { ...update, text: redact(update.text) };
  return update.message === undefined ? update : { ...update, message: redact(update.message) };
}
