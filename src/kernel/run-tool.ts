import { type Clock, isPromise, type MaybePromise, tailOf } from "../base/index.ts";
import type { Call } from "./call.ts";
import type { CallContext, Origin, ToolContext, ToolUpdate } from "./context.ts";
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
  if (call.context.signal?.aborted) throw call.cancelled();
  const controller = new AbortController();
  const context = new RunContext(call, controller.signal, limits);
  const outcome = call.tool.execute(call.params as never, context) as ToolOutcome;
  if (isGenerator(outcome)) return settle(call, controller, drain(outcome, context), limits);
  return isPromise(outcome) ? settle(call, controller, outcome, limits) : outcome;
}

function settle(
  call: Call,
  controller: AbortController,
  work: PromiseLike<unknown>,
  limits: RunLimits,
): Promise<unknown> {
  const { clock, timeoutMs, graceMs } = limits;
  const { signal } = call.context;
  return new Promise((resolve, reject) => {
    let stopped: Error | undefined;
    let endGrace: (() => void) | undefined;
    const stop = (reason: Error) => {
      stopped = reason;
      endGrace = clock.after(graceMs, () => {
        call.unsettled = done;
        reject(reason);
      });
      controller.abort(reason);
    };
    const endDeadline = clock.after(timeoutMs, () => stop(new ToolTimeoutError(call.toolName, timeoutMs)));
    const cancel = () => {
      if (stopped === undefined) stop(call.cancelled());
    };
    const end = () => {
      endDeadline();
      endGrace?.();
      signal?.removeEventListener("abort", cancel);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const done = Promise.resolve(
      work.then(
        (value) => {
          end();
          if (stopped !== undefined) call.notes.push("it was told to stop, but had finished");
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(stopped ?? error);
        },
      ),
    );
  });
}

async function drain(
  generator: AsyncGenerator<ToolUpdate, unknown, void>,
  context: RunContext,
): Promise<unknown> {
  for (;;) {
    const step = await generator.next();
    if (step.done) return step.value;
    context.update(step.value);
    if (context.signal.aborted) {
      await generator.return(undefined);
      throw context.signal.reason;
    }
  }
}

function isGenerator(outcome: ToolOutcome): outcome is AsyncGenerator<ToolUpdate, unknown, void> {
  return (
    typeof outcome === "object" && outcome !== null && Symbol.asyncIterator in outcome && "next" in outcome
  );
}

const nowhere: readonly string[] = [];

class RunContext implements ToolContext {
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly #call: Call;
  readonly #limits: RunLimits;

  constructor(call: Call, signal: AbortSignal, limits: RunLimits) {
    this.#call = call;
    this.#limits = limits;
    this.signal = signal;
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
    return this.#bound("allowedPaths");
  }
  get allowedHosts(): readonly string[] {
    return this.#bound("allowedHosts");
  }
  get effects(): readonly Effect[] {
    return this.#call.effects;
  }

  progress(progress: number, total?: number, message?: string): void {
    this.update({
      type: "progress",
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  }

  output(text: string): void {
    this.update({ type: "output", text });
  }

  update(update: ToolUpdate): void {
    const call = this.#call;
    const { maxPartialChars, redact } = this.#limits;
    if (update.type === "output") {
      call.partial += update.text;
      if (call.partial.length > 2 * maxPartialChars) call.partial = tailOf(call.partial, maxPartialChars);
    }
    const shown = redact === undefined ? update : redactUpdate(update, redact);
    call.onUpdate?.(shown);
    call.context.onUpdate?.(shown);
  }

  #bound(name: "allowedPaths" | "allowedHosts"): readonly string[] {
    return (this.#call.context satisfies CallContext)[name] ?? nowhere;
  }
}

function redactUpdate(update: ToolUpdate, redact: Redact): ToolUpdate {
  if (update.type === "output") return { ...update, text: redact(update.text) };
  return update.message === undefined ? update : { ...update, message: redact(update.message) };
}
