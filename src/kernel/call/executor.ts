import { type Clock, createIdSource, isPromise, type MaybePromise, systemClock } from "../../base/index.ts";
import {
  type ForeseenDecision,
  type ForeseeOptions,
  Permission,
  type PlannedOptions,
} from "../policy/permission-step.ts";
import { defaultRules } from "../policy/permissions.ts";
import type { ForeseenCall } from "../policy/plan.ts";
import type { PlannedCall } from "../policy/planned-call.ts";
import { findEarlierIn } from "../policy/repeated-calls.ts";
import type { Trust } from "../policy/trust.ts";
import { checkCallable } from "../registry/find-tool.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { noLimits, type Toolset, Toolsets } from "../registry/toolset.ts";
import { neverFailing } from "../secrets/redact.ts";
import type { Redact } from "../secrets/redactor.ts";
import { findHiddenArguments, type HiddenArguments, redactValue } from "../secrets/secrets.ts";
import { recallOnce } from "../taint/recall-once.ts";
import type { Seen } from "../taint/seen.ts";
import { TaintTracker } from "../taint/taint-tracking.ts";
import type { Effect } from "../tool/effect.ts";
import { type ToolInfo, toToolInfo } from "../tool/tool-info.ts";
import type { Call, CallSoFar, FoundCall, FoundSoFar, WithinCall } from "./call.ts";
import { calledTool, findVersion, unwrapCall } from "./called-tool.ts";
import type { CallContext, ToolUpdate } from "./context.ts";
import { createCall } from "./create-call.ts";
import { EventBus, type ToolEvent } from "./events.ts";
import type { ExecutorOptions } from "./executor-options.ts";
import { Flights, type Joined } from "./flights.ts";
import { isFound, runAfterHooks, runBeforeHooks } from "./hook-chain.ts";
import type { Hook, HookOutcome } from "./hooks.ts";
import { checkDepth, checkInner, type InnerStart, type OuterCall, withStep } from "./inner-call.ts";
import { RecordStep } from "./record-step.ts";
import type { ToolResult } from "./result.ts";
import { ResultStep } from "./result-step.ts";
import { readReturned } from "./returned-result.ts";
import { type CallBounds, toRunLimits } from "./run-tool.ts";
import { ConcurrencyLimiter, type Turn } from "./slots.ts";
import { isFinal, neverThrowing, toError } from "./thrown.ts";
import { ValidationStep } from "./validation-step.ts";

/** A call as the gate would decide it. */
export interface Foreseen extends ForeseenDecision {
  readonly tool: ToolInfo;
  /** The tool only calls other tools; `plan` if those calls are known and decided together with it. */
  readonly composes: "plan" | "later" | undefined;
  /** The arguments as validation leaves them, without those that are secret. */
  readonly params: unknown;
  readonly effects: readonly Effect[];
  readonly trust: Trust;
  /** What was put right about the arguments. */
  readonly notes: readonly string[];
}

const noContext: CallContext = {};

/**
 * The gate: every call of every tool goes through {@link ToolExecutor.execute}, whoever calls. Its steps are
 * announce, find, validate, before-hooks, decide, admit, run, after-hooks, bound, record, return.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "publish",
 *     description: "Publish a page.",
 *     parameters: z.object({ host: z.string() }),
 *     effects: ({ host }) => [{ kind: "connect", target: `https://${host}`, within: false }],
 *     execute: ({ host }) => `It is on ${host}`,
 *   }),
 * );
 * const approver: Approver = { identity: "owner:ada", ask: async () => ({ approved: true, by: "owner:ada" }) };
 * const refused = await new ToolExecutor(registry).run("publish", { host: "example.com" });
 * const asked = await new ToolExecutor(registry, { approver }).run("publish", { host: "example.com" });
 * refused.success || refused.code; // → "TOOL_PERMISSION"
 * asked.text; // → "It is on example.com"
 * ```
 */
export class ToolExecutor {
  readonly events: EventBus<ToolEvent>;
  readonly #registry: ToolRegistry;
  readonly #clock: Clock;
  readonly #newId: ReturnType<typeof createIdSource>;
  readonly #hooks: () => readonly Hook[];
  readonly #validation: ValidationStep;
  readonly #permission: Permission;
  readonly #taint = new TaintTracker();
  readonly #toolsets: Toolsets;
  readonly #concurrency: ConcurrencyLimiter;
  readonly #results: ResultStep;
  readonly #records: RecordStep | undefined;
  readonly #redact: Redact | undefined;
  readonly #ready: (() => MaybePromise<void>) | undefined;
  readonly #recallFiles: () => Promise<void> | undefined;
  readonly #bounds: CallBounds;
  readonly #flights: Flights;
  readonly #onSuccess: ExecutorOptions["onSuccess"];
  readonly #onError: (error: unknown) => void;
  /** Calls on their way, by their ids. */
  readonly #calls = new Map<string, Call>();

  constructor(registry: ToolRegistry, options: ExecutorOptions = {}) {
    this.#registry = registry;
    this.#clock = options.clock ?? systemClock;
    this.#newId = createIdSource(() => this.#clock.now());
    const { hooks = [] } = options;
    this.#hooks = typeof hooks === "function" ? hooks : () => hooks;
    this.#redact = options.redact && neverFailing(options.redact);
    this.#ready = options.ready;
    const { timeoutMs = 30_000, maxTimeoutMs = 600_000, maxOutputChars = 25_000 } = options;
    this.#bounds = { timeoutMs, maxTimeoutMs, maxOutputChars };
    const personMs = options.approvalTimeoutMs ?? 300_000;
    this.#onSuccess = options.onSuccess;
    this.#onError = neverThrowing(options.onError);
    this.#recallFiles = recallOnce(options.untrustedFiles, {
      tell: (paths) => this.#taint.recallFiles(paths),
      onError: this.#onError,
    });
    this.events = new EventBus(this.#onError);
    this.#validation = new ValidationStep(registry, { timeoutMs, clock: this.#clock });
    this.#permission = new Permission({
      rules: options.rules ?? defaultRules,
      shadowRules: options.shadowRules,
      mode: options.mode ?? "ask",
      approver: options.approver,
      approvals: options.approvals,
      grants: options.grants,
      timeoutMs: personMs,
      lifeMs: options.approvalLifeMs ?? 3_600_000,
      maxQuestions: options.maxQuestions ?? 5,
      effectsTimeoutMs: timeoutMs,
      foresee: (outer, planned) => this.#foreseePlanned(outer, planned),
      findEarlier: findEarlierIn(options.ledger, options.ledgerPolicy ?? "required"),
      howToAllow: options.howToAllow ?? (() => "allow it with a rule, or give the executor an approver"),
      clock: this.#clock,
      newId: this.#newId,
    });
    this.#toolsets = new Toolsets(registry, {
      limits: options.limits ?? (() => noLimits),
      refusing: (tool, context) => this.#permission.refusing(tool, context),
    });
    this.#concurrency = new ConcurrencyLimiter({
      maxConcurrent: options.maxConcurrent ?? 3,
      maxWaiting: options.maxWaiting ?? 1000,
      maxWaitMs: options.maxWaitMs ?? 60_000,
      clock: this.#clock,
    });
    this.#results = new ResultStep({
      maxOutputChars,
      artifacts: options.artifacts,
      clock: this.#clock,
      onError: this.#onError,
    });
    this.#flights = new Flights({
      graceMs: options.graceMs ?? 2000,
      personMs,
      clock: this.#clock,
      secrets: options.secrets,
      concurrency: this.#concurrency,
      onUpdate: (call, update) => this.#tellUpdate(call, update),
      callInner: (inner, params, start) => this.#callInner(inner, params, start),
      onError: this.#onError,
    });
    const { ledger, ledgerPolicy: policy = "required" } = options;
    this.#records =
      ledger && new RecordStep({ ledger, policy, results: this.#results, onError: this.#onError });
  }

  /**
   * Takes one call through the gate. Never throws and never rejects: every outcome is a {@link ToolResult}. When you
   * have brought your own state up to date with it, call {@link emitCompletion}; `run` does both.
   */
  execute(name: string, params: unknown, context: CallContext = noContext): Promise<ToolResult> {
    return this.#conduct(name, params, context);
  }

  async #conduct(
    name: string,
    params: unknown,
    context: CallContext,
    within?: WithinCall,
    complete?: (result: ToolResult) => MaybePromise<void>,
  ): Promise<ToolResult> {
    const call = this.#newCall(name, params, context, within);
    this.#calls.set(call.id, call);
    let outcome: HookOutcome;
    let turn: Turn | undefined;
    try {
      const ready = this.#ready?.();
      const recalled = this.#recallFiles();
      if (isPromise(ready)) await ready;
      if (recalled !== undefined) await recalled;
      const isAnnounced = this.#announce(call);
      if (call.outer !== undefined) checkInner(call, call.outer);
      const validated = this.#validation.validate(this.#find(call));
      let valid = isPromise(validated) ? await validated : validated;
      const hooks = this.#hooks();
      if (hooks.length > 0) {
        const changed = await runBeforeHooks(hooks, valid, this.#clock);
        if (changed !== undefined) valid = await this.#validation.validate(changed);
      }
      const traced = this.#taint.trace(valid);
      this.#taint.recordArguments(traced);
      const deciding = this.#permission.decide(traced);
      const decided = isPromise(deciding) ? await deciding : deciding;
      let limits = toRunLimits(decided, this.#bounds, isAnnounced);
      const flight = this.#flights.find(decided);
      let joined: Joined | undefined;
      if (flight !== undefined) {
        await this.#records?.start(decided);
        joined = await this.#flights.join(decided.run(), flight, limits);
        limits = joined.limits;
      }
      let ran: unknown = joined?.value;
      if (joined === undefined || joined.isGivenUp) {
        const admitting = this.#concurrency.admit(decided);
        turn = isPromise(admitting) ? await admitting : admitting;
        this.#taint.foreseeFiles(decided);
        const recording = flight === undefined ? this.#records?.start(decided) : undefined;
        if (recording !== undefined) await recording;
        if (decided.cancelled) throw decided.cancellation();
        ran = this.#flights.run(decided.run(), turn, limits);
      }
      outcome = { success: true, value: readReturned(call.toolName, isPromise(ran) ? await ran : ran) };
    } catch (thrown) {
      outcome = { success: false, error: toError(thrown) };
    } finally {
      if (this.#calls.get(call.id) === call) this.#calls.delete(call.id);
      this.#flights.ended(call.soFar);
      if (turn !== undefined) this.#concurrency.leave(turn, call.soFar.unsettled);
    }
    const concluded = this.#conclude(call.end(), outcome);
    const result = isPromise(concluded) ? await concluded : concluded;
    const completing = complete?.(result);
    if (isPromise(completing)) await completing;
    return result;
  }

  /** Steps 8 to 11: the result of a call that has ended. A step that has nothing to wait for runs at once. */
  #conclude(call: CallSoFar, outcome: HookOutcome): MaybePromise<ToolResult> {
    this.#taint.label(call, outcome);
    const hooks = this.#hooks();
    if (hooks.length === 0 || !isFound(call)) return this.#bound(call, outcome);
    return runAfterHooks(hooks, call, outcome, this.#clock).then((seen) => this.#bound(call, seen));
  }

  #bound(call: CallSoFar, outcome: HookOutcome): MaybePromise<ToolResult> {
    const result = this.#results.toResult(call, outcome);
    return isPromise(result)
      ? result.then((bounded) => this.#settle(call, bounded))
      : this.#settle(call, result);
  }

  #settle(call: CallSoFar, result: ToolResult): MaybePromise<ToolResult> {
    this.#taint.learn(call, result);
    if (isFound(call)) this.#registry.updateCallStats(call.entryName, result.durationMs, result.success);
    if (result.success) this.#tellSuccess(call);
    return this.#records === undefined ? result : this.#records.end(call, result);
  }

  /** `execute`, then `record(result)`, then the completion event: the order that nobody can get wrong. */
  run(
    name: string,
    params: unknown,
    context: CallContext = noContext,
    record?: (result: ToolResult) => MaybePromise<void>,
  ): Promise<ToolResult> {
    const complete = (result: ToolResult) => this.emitCompletion(name, result, context);
    if (record === undefined) return this.#conduct(name, params, context, undefined, complete);
    return this.#conduct(name, params, context, undefined, (result) =>
      Promise.resolve(result)
        .then(record)
        .finally(() => complete(result)),
    );
  }

  /**
   * Cancels a call of this executor, as its caller could: the calls that it made end with it. False if no call of that
   * id is on its way here, or it was cancelled before.
   *
   * @param by who cancels it, in the words of its error: `a person in the console`
   */
  cancel(callId: string, by: string): boolean {
    return this.#calls.get(callId)?.stop(by) ?? false;
  }

  /**
   * Says what would be decided of a call: its effects, the rules that hold, the grants that answer. Nothing runs and
   * nobody is asked; hooks are not called either, so a call that one changes is decided as changed.
   *
   * @throws {ToolError} for a call that would not come to a decision: unknown, not callable, invalid arguments.
   */
  async foresee(
    name: string,
    params: unknown,
    context: CallContext = noContext,
    options?: ForeseeOptions,
  ): Promise<Foreseen> {
    await this.#ready?.();
    const call = this.#find(this.#newCall(name, params, context));
    const decision = await this.#foresee(call, options);
    const { tool, notes } = call;
    const { effects, trust } = call.soFar;
    const composes = tool.composes === true ? "later" : tool.composes && "plan";
    return { tool: toToolInfo(tool), composes, params: call.shownParams, effects, trust, notes, ...decision };
  }

  async #foresee(found: FoundCall, options?: PlannedOptions): Promise<ForeseenDecision> {
    const valid = await this.#validation.validate(found);
    return this.#permission.foresee(this.#taint.trace(valid), options);
  }

  /** @throws {ToolError} for a call that can't come off; not for arguments that are not known yet. */
  async #foreseePlanned(outer: OuterCall, planned: PlannedCall): Promise<ForeseenCall> {
    const made = this.#newCall(planned.name, planned.params, outer.contextFor({}), { outer });
    checkDepth(made, outer);
    outer.countPlanned();
    let call: FoundSoFar | undefined;
    try {
      const found = this.#find(made);
      call = found.soFar;
      const { verdict, judgements, grants } = await this.#foresee(found, { asMade: true });
      return { planned, call, verdict, judgements, granted: grants !== undefined };
    } catch (thrown) {
      if (planned.open !== true || call === undefined || isFinal(thrown))
        throw withStep(thrown, planned, outer);
      return { planned, call, verdict: undefined, judgements: [], granted: false };
    }
  }

  /** What a caller has of the registry: which tools are shown to it, callable, and allowed, and why. */
  toolset(context: CallContext = noContext): Toolset {
    return this.#toolsets.of(context);
  }

  /**
   * Tells the gate what somebody wrote, so that it knows it again in the arguments of calls: as data from outside where
   * the context says `trust: "untrusted"`, else as what its user named. Say it before the calls that follow from it.
   */
  recordInput(text: string, context: CallContext = noContext): void {
    this.#taint.recordInput(text, context);
  }

  /**
   * Tells the gate what a model was shown before and is about to be shown again, in its order: after a restart, what an
   * earlier process had shown; of a memory or a summary, what went into the prompt. Data from outside is then known again
   * in the arguments of later calls, as it was before.
   *
   * @param upTo How far the caller `of` the session has told it now, in its own count, as `recalledUpTo()` says later.
   */
  recall(seen: readonly Seen[], context: CallContext = noContext, upTo = 0, of = ""): void {
    this.#taint.recall(seen, context, (name, params, made) => {
      const call = this.#newCall(name, params, made);
      return { call, tool: this.#registry.get(call.entryName) };
    });
    this.#taint.markRecalled(context, upTo, of);
  }

  /** How far {@link ToolExecutor.recall} was told of this session; 0 if it was told nothing, or has forgotten it. */
  recalledUpTo(context: CallContext = noContext, of = ""): number {
    return this.#taint.recalledUpTo(context, of);
  }

  #newCall(name: string, params: unknown, context: CallContext, within?: WithinCall): Call {
    const startedAt = this.#clock.now();
    const id = context.callId ?? this.#newId("c", startedAt);
    const meant = unwrapCall(this.#registry, name, params);
    if (meant.toolset !== undefined) context.interaction?.resume(meant.toolset);
    const called = calledTool(this.#registry, meant.name, context, id);
    let { params: given } = meant;
    let hides: HiddenArguments | undefined;
    try {
      hides = findHiddenArguments(this.#registry, called.entryName, given);
    } catch {
      given = undefined; // What can't be read can't be kept secret either: validation refuses it as absent.
    }
    return createCall(called, given, context, { id, startedAt, within, redact: this.#redact, hides });
  }

  /** Announces how a call came out: `tool.completed` (410) or `tool.failed` (420). */
  emitCompletion(_name: string, result: ToolResult, { taskId }: CallContext = noContext): void {
    if (this.events.idle) return;
    const { callId, toolName, completedAt: at } = result;
    this.events.emit(
      result.success
        ? { type: "tool.completed", code: 410, callId, toolName, taskId, at, result }
        : { type: "tool.failed", code: 420, callId, toolName, taskId, at, result },
    );
  }

  #callInner(name: string, params: unknown, { context, ...within }: InnerStart): Promise<ToolResult> {
    const complete = (result: ToolResult) => this.emitCompletion(name, result, context);
    return this.#conduct(name, params, context, within, complete);
  }

  #find(call: Call): FoundCall {
    const { context, toolName } = call;
    const toolset = this.#toolsets.of(context);
    checkCallable(toolName, toolset, context.interaction);
    return call.find(findVersion(this.#registry, call), toolset);
  }

  /** Returns whether anybody listens. Listeners are then told of its updates too. */
  #announce(call: Call): boolean {
    if (this.events.idle) return false;
    const { id: callId, toolName, startedAt: at } = call;
    const { taskId } = call.context;
    const params = redactValue(call.shownParams, call.redact);
    this.events.emit({ type: "tool.requested", code: 400, callId, toolName, taskId, at, params });
    return true;
  }

  #tellUpdate({ id: callId, toolName, context: { taskId } }: Call, update: ToolUpdate): void {
    const at = this.#clock.now();
    this.events.emit({ type: "tool.updated", code: 405, callId, toolName, taskId, at, update });
  }

  #tellSuccess({ toolName, context, trust }: CallSoFar): void {
    try {
      this.#onSuccess?.(toolName, context, trust);
    } catch (error) {
      this.#onError(error);
    }
  }
}
