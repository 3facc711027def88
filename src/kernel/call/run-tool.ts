import { cutTail, isPromise, type MaybePromise } from "../../base/index.ts";
import { ToolCancelledError, ToolTimeoutError } from "../errors.ts";
import type { Trust } from "../policy/trust.ts";
import type { Interaction } from "../registry/interaction/interaction.ts";
import type { ToolView } from "../registry/tool-view.ts";
import { readSecret, type SecretSource } from "../secrets/read-secret.ts";
import type { RedactStream } from "../secrets/redactor.ts";
import type { Effect } from "../tool/effect.ts";
import type { ToolOutcome } from "../tool/tool.ts";
import type { Call, DecidedCall, RunningCall } from "./call.ts";
import type { InnerCallOptions, ToolContext, ToolUpdate } from "./context.ts";
import { type InnerStart, OuterCall } from "./inner-call.ts";
import type { Origin } from "./origin.ts";
import type { ToolResult } from "./result.ts";
import { RunTime, type TimeServices } from "./run-time.ts";
import type { Turn } from "./slots.ts";

/** Limits of one call. */
export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxPartialChars: number;
  /** Listeners were told of the call, and are told of its updates. */
  readonly isAnnounced: boolean;
}

/** Bounds of all calls of one executor. */
export interface CallBounds {
  /** The deadline of tools that name none of their own. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** The length of what tools give that name none of their own. */
  readonly maxOutputChars: number;
}

export function toRunLimits(
  { tool, params, context }: DecidedCall,
  bounds: CallBounds,
  isAnnounced: boolean,
): RunLimits {
  const { timeoutMs: own, maxOutputChars } = tool;
  const wanted = typeof own === "function" ? own(params as never) : (own ?? bounds.timeoutMs);
  return {
    timeoutMs: Math.min(wanted, context.timeoutMs ?? wanted, bounds.maxTimeoutMs),
    maxPartialChars: maxOutputChars ?? bounds.maxOutputChars,
    isAnnounced,
  };
}

/** What the tools of all calls run with. */
export interface RunServices extends TimeServices {
  readonly graceMs: number;
  readonly secrets: SecretSource | undefined;
  /** Told of each update of a call that was announced, beside the call's own listener. */
  readonly onUpdate: (call: Call, update: ToolUpdate) => void;
  /** Takes a call that this one makes through the gate. */
  readonly callInner: (name: string, params: unknown, start: InnerStart) => Promise<ToolResult>;
}

/**
 * Runs the tool of a call until it returns, its deadline passes or its caller gives up. At either of the last two
 * the tool's signal is aborted and it has `graceMs` to stop; then the caller is answered without it.
 */
export function runTool(
  call: RunningCall,
  turn: Turn,
  limits: RunLimits,
  services: RunServices,
): MaybePromise<unknown> {
  if (call.cancelled) throw call.cancellation();
  const context = new RunContext(call, turn, limits, services);
  let outcome: ToolOutcome;
  try {
    outcome = call.tool.execute(call.params as never, context) as ToolOutcome;
  } catch (thrown) {
    context.end();
    throw thrown;
  }
  if (isGenerator(outcome)) return settle(call, context, drain(outcome, context), services);
  if (isPromise(outcome)) return settle(call, context, outcome, services);
  context.end();
  return outcome;
}

function settle(
  call: RunningCall,
  context: RunContext,
  work: PromiseLike<unknown>,
  { clock, graceMs }: RunServices,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let endGrace: (() => void) | undefined;
    const stop = (reason: Error) => {
      endGrace = clock.after(graceMs, () => {
        call.unsettled = done;
        context.end();
        reject(reason);
      });
      context.stop(reason);
    };
    /** Why the tool was told to stop, or was about to be. */
    const end = () => {
      endGrace?.();
      context.end();
      return context.stopped ?? (call.cancelled ? call.cancellation() : undefined);
    };
    const done = Promise.resolve(work).then(
      (value) => {
        const stopped = end();
        if (stopped === undefined || call.unsettled !== undefined) return resolve(value);
        if (stopped instanceof ToolTimeoutError) return reject(stopped.finishedWith(value));
        call.notes.push("it was told to stop, but had finished");
        resolve(value);
      },
      (error: unknown) => reject(end() ?? error),
    );
    const watch = () => {
      if (context.time.isOver) return;
      if (call.cancelled) stop(call.cancellation());
      else context.time.watch(stop);
    };
    // A tool may itself have cancelled the call.
    if (call.cancelled) watch();
    else void resolved.then(watch);
  });
}

/** A tool that returns at once needs no watch, so it begins one tick later. */
const resolved = Promise.resolve();

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
  /** Why the tool was told to stop, once it was. */
  stopped: Error | undefined;
  readonly #call: RunningCall;
  readonly #limits: RunLimits;
  readonly #services: RunServices;
  /** How long the tool may take. */
  readonly time: RunTime;
  #stream: RedactStream | undefined;
  #controller: AbortController | undefined;
  /** Ends the calls that it has made, with it. */
  #inner: AbortController | undefined;

  constructor(call: RunningCall, turn: Turn, limits: RunLimits, services: RunServices) {
    this.#call = call;
    this.#limits = limits;
    this.#services = services;
    this.time = new RunTime(turn, limits.timeoutMs, services);
  }

  get deadline(): number {
    return this.time.deadline;
  }

  get callId(): string {
    return this.#call.id;
  }
  get outerCallId(): string | undefined {
    return this.#call.outer?.outermost.id;
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
  get project(): string | undefined {
    return this.#call.context.project;
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
  get trust(): Trust {
    return this.#call.trust;
  }

  /** Made for those who look at it: most tools are done before they could. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.stopped !== undefined) this.#controller.abort(this.stopped);
    }
    return this.#controller.signal;
  }

  // Made for those who use them, and theirs to take out of the context.
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

  get secret(): ToolContext["secret"] {
    return async (name) => {
      if (this.stopped !== undefined) throw this.stopped;
      return readSecret(this.#call, name, this.#services.secrets);
    };
  }

  get toolset(): ToolView {
    return this.#call.toolset;
  }
  get interaction(): Interaction | undefined {
    return this.#call.context.interaction;
  }

  get call(): ToolContext["call"] {
    return async (name, params, options = {}) => {
      if (this.stopped !== undefined) throw this.stopped;
      const result = await this.time.aside(() => this.#callInner(name, params, options));
      if (this.stopped !== undefined) throw this.stopped;
      return result;
    };
  }

  #callInner(name: string, params: unknown, options: InnerCallOptions): Promise<ToolResult> {
    const outer = new OuterCall(this.#call, this.time);
    this.#inner ??= new AbortController();
    return this.#services.callInner(name, params, outer.start(options, this.#inner.signal));
  }

  get wait(): ToolContext["wait"] {
    return async (act) => {
      if (this.stopped !== undefined) throw this.stopped;
      const value = await this.time.wait(act);
      if (this.stopped !== undefined) throw this.stopped;
      return value;
    };
  }

  get awaitPerson(): ToolContext["awaitPerson"] {
    return async (ask) => {
      if (this.stopped !== undefined) throw this.stopped;
      const wait = () => this.time.awaitPerson(ask);
      const { outer } = this.#call;
      return outer === undefined ? wait() : outer.whilePerson(wait);
    };
  }

  stop(reason: Error): void {
    this.stopped = reason;
    this.time.end(reason);
    this.#controller?.abort(reason);
    this.#inner?.abort(reason);
  }

  /** What a tool shows after its caller was answered reaches nobody. */
  update(update: ToolUpdate): void {
    if (this.#call.over) return;
    const { redact } = this.#call;
    if (update.type === "output") this.#output(update.text);
    else if (redact === undefined || update.message === undefined) this.#tell(update);
    else this.#tell({ ...update, message: redact(update.message) });
  }

  /** Nothing is awaited any more. Shows the end of the output, which may have been held back as the beginning of a secret. */
  end(): void {
    this.time.end();
    this.#inner?.abort(new ToolCancelledError(this.#call.toolName));
    const text = this.#stream?.end(this.stopped !== undefined);
    if (text !== undefined && text !== "" && !this.#call.over) this.#show(text, text);
  }

  #output(text: string): void {
    const { redact } = this.#call;
    this.#stream ??= redact?.stream?.();
    if (this.#stream === undefined) {
      this.#show(text, redact?.(text) ?? text);
      return;
    }
    const shown = this.#stream.push(text);
    if (shown !== "" || text === "") this.#show(shown, shown);
  }

  #show(kept: string, text: string): void {
    const call = this.#call;
    const { maxPartialChars } = this.#limits;
    call.partial += kept;
    if (call.partial.length > 2 * maxPartialChars)
      call.partial = cutTail(call.redact?.(call.partial) ?? call.partial, maxPartialChars);
    this.#tell({ type: "output", text });
  }

  #tell(update: ToolUpdate): void {
    if (this.#limits.isAnnounced) this.#services.onUpdate(this.#call, update);
    this.#call.context.onUpdate?.(update);
    this.#call.tellFollowers(update);
  }
}
