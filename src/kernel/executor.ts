import {
  type Clock,
  createIdSource,
  FairSemaphore,
  headOf,
  isPromise,
  type MaybePromise,
  nearestNames,
  systemClock,
} from "../base/index.ts";
import type { Approver, Grants } from "./approval.ts";
import type { ArtifactStore } from "./artifacts.ts";
import { Call } from "./call.ts";
import type { CallContext } from "./context.ts";
import { ToolBusyError, ToolError, ToolNotFoundError, ToolValidationError } from "./errors.ts";
import { EventBus, type ToolEvent } from "./events.ts";
import { runAfterHooks, runBeforeHooks } from "./hook-chain.ts";
import type { Hook, HookOutcome } from "./hooks.ts";
import { Lanes, lanesOf } from "./lanes.ts";
import type { Ledger } from "./ledger.ts";
import { boundOutput, boundText, isSmallText, type Output, type OutputBounds } from "./output.ts";
import { Permission } from "./permission-step.ts";
import { PermissionPolicy, type Rule } from "./permissions.ts";
import type { Redact } from "./redact.ts";
import type { ToolRegistry } from "./registry.ts";
import { repairArguments } from "./repair.ts";
import type { ToolResult } from "./result.ts";
import { runTool } from "./run-tool.ts";
import type { Validation } from "./schema.ts";
import { describeIssues } from "./validation.ts";

/** Every part is optional, and what is left out is the careful choice: no approver means no. */
export interface ExecutorOptions {
  /** @default defaultRules */
  readonly rules?: readonly Rule[];
  /** Asked where a rule says `ask`, unless the call brings its own. @default nobody: such calls are refused */
  readonly approver?: Approver;
  readonly grants?: Grants;
  readonly ledger?: Ledger;
  readonly artifacts?: ArtifactStore;
  readonly hooks?: readonly Hook[];
  readonly redact?: Redact;
  /** For tools that name no time of their own. @default 30,000 */
  readonly timeoutMs?: number;
  /** No tool may run longer, whatever it says. @default 600,000 */
  readonly maxTimeoutMs?: number;
  /** Calls that run at once. @default 3 */
  readonly maxConcurrent?: number;
  /** Calls that may wait for a place; more are refused with TOOL_BUSY. @default 1,000 */
  readonly maxWaiting?: number;
  /** How long a call may wait for its place and its lanes. @default 60,000 */
  readonly maxWaitMs?: number;
  /** How long a question to a person stays open. @default 300,000 */
  readonly approvalTimeoutMs?: number;
  /** How long a tool has to stop once it is told to, before its caller is answered without it. @default 2,000 */
  readonly graceMs?: number;
  /** Characters of output that reach the model. @default 25,000 */
  readonly maxOutputChars?: number;
  /** Ends the message of a refusal for want of an approver: how the owner of this installation allows a call. */
  readonly howToAllow?: string;
  readonly clock?: Clock;
  /** Told what no result can carry: a throwing listener, a ledger that could not write the end of a call. */
  readonly onError?: (error: unknown) => void;
}

const noContext: CallContext = {};

/**
 * The gate: every call of every tool goes through {@link ToolExecutor.execute}, whoever calls. Its steps are
 * announce, find, validate, before-hooks, decide, admit, run, after-hooks, bound, record, return.
 */
export class ToolExecutor {
  readonly events: EventBus<ToolEvent>;
  readonly #registry: ToolRegistry;
  readonly #options: ExecutorOptions;
  readonly #clock: Clock;
  readonly #newId: (prefix: string) => string;
  readonly #hooks: readonly Hook[];
  readonly #permission: Permission;
  readonly #lanes = new Lanes();
  readonly #places: FairSemaphore;
  readonly #leavePlace = (): void => this.#places.release();
  readonly #maxOutputChars: number;

  constructor(registry: ToolRegistry, options: ExecutorOptions = {}) {
    this.#registry = registry;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#newId = createIdSource(() => this.#clock.now());
    this.#hooks = options.hooks ?? [];
    this.#places = new FairSemaphore(options.maxConcurrent ?? 3);
    this.#maxOutputChars = options.maxOutputChars ?? 25_000;
    this.events = new EventBus((error) => options.onError?.(error));
    this.#permission = new Permission({
      policy: new PermissionPolicy(options.rules),
      approver: options.approver,
      grants: options.grants,
      timeoutMs: options.approvalTimeoutMs ?? 300_000,
      howToAllow: options.howToAllow ?? "allow it with a rule, or give the executor an approver",
      clock: this.#clock,
      newId: this.#newId,
    });
  }

  /**
   * Takes one call through the gate. Never throws and never rejects: every outcome is a {@link ToolResult}. When you
   * have brought your own state up to date with it, call {@link emitCompletion}; `run` does both.
   */
  async execute(name: string, params: unknown, context: CallContext = noContext): Promise<ToolResult> {
    const call = new Call(name, params, context, this.#clock.now(), context.callId ?? this.#newId("c"));
    if (!this.events.idle) this.#announce(call);
    let outcome: HookOutcome;
    try {
      outcome = { success: true, value: await this.#pass(call) };
    } catch (thrown) {
      outcome = { success: false, error: toError(thrown) };
    }
    return this.#settle(call, outcome);
  }

  /** `execute`, then `record(result)`, then the completion event: the order that nobody can get wrong. */
  async run(
    name: string,
    params: unknown,
    context: CallContext = noContext,
    record: (result: ToolResult) => MaybePromise<void> = () => {},
  ): Promise<ToolResult> {
    const result = await this.execute(name, params, context);
    try {
      await record(result);
    } finally {
      this.emitCompletion(name, result, context);
    }
    return result;
  }

  /** Announces how a call came out: `tool.completed` (410) or `tool.failed` (420). */
  emitCompletion(name: string, result: ToolResult, context: CallContext = noContext): void {
    if (this.events.idle) return;
    const { callId, completedAt: at } = result;
    const base = { callId, toolName: name, taskId: context.taskId, at };
    this.events.emit(
      result.success
        ? { type: "tool.completed", code: 410, ...base, result }
        : { type: "tool.failed", code: 420, ...base, result },
    );
  }

  #announce(call: Call): void {
    const { id: callId, toolName, params, startedAt: at } = call;
    const base = { callId, toolName, taskId: call.context.taskId };
    this.events.emit({ type: "tool.requested", code: 400, ...base, at, params });
    call.onUpdate = (update) =>
      this.events.emit({ type: "tool.updated", code: 405, ...base, at: this.#clock.now(), update });
  }

  /** Steps 2 to 7. Each throws its own error; what it returns is what the tool returned. */
  async #pass(call: Call): Promise<unknown> {
    this.#find(call);
    const validated = this.#validate(call);
    if (isPromise(validated)) await validated;
    if (this.#hooks.length > 0 && (await runBeforeHooks(this.#hooks, call, this.#clock)))
      await this.#validate(call);
    const decided = this.#permission.decide(call);
    if (isPromise(decided)) await decided;
    const admitted = this.#admit(call);
    const leave = isPromise(admitted) ? await admitted : admitted;
    try {
      const recorded = this.#recordStart(call);
      if (recorded !== undefined) await recorded;
      const ran = runTool(call, this.#limitsOf(call));
      return isPromise(ran) ? await ran : ran;
    } finally {
      leave();
    }
  }

  #find(call: Call): void {
    const { toolName: name, context } = call;
    const callable = (other: string) => context.allowedTools?.includes(other) ?? true;
    const tool = this.#registry.get(name);
    if (tool === undefined) {
      throw new ToolNotFoundError(
        name,
        nearestNames(
          name,
          this.#registry
            .list()
            .map((other) => other.name)
            .filter(callable),
        ),
      );
    }
    if (!callable(name)) {
      throw new ToolError(
        name,
        "TOOL_NOT_CALLABLE",
        `Cannot call "${name}": it is not among the tools that this caller may call; use one of ${context.allowedTools?.join(", ") || "none"}`,
      );
    }
    call.tool = tool;
  }

  #validate(call: Call): MaybePromise<void> {
    const checked = this.#registry.validate(call.toolName, call.params);
    if (isPromise(checked)) return checked.then((validation) => this.#accept(call, validation));
    if (!checked.valid) return this.#accept(call, checked);
    call.params = checked.value;
  }

  /** Takes valid arguments; repairs others once, visibly, or refuses them. */
  async #accept(call: Call, first: Validation): Promise<void> {
    if (first.valid) {
      call.params = first.value;
      return;
    }
    const schema = this.#registry.schemaOf(call.toolName) ?? {};
    const repaired = repairArguments(call.params, first.issues, schema);
    if (repaired !== undefined) {
      const second = await this.#registry.validate(call.toolName, repaired.params);
      if (second.valid) {
        call.params = second.value;
        call.notes.push(...repaired.notes);
        return;
      }
    }
    throw new ToolValidationError(
      call.toolName,
      `Cannot call "${call.toolName}" with these arguments: ${describeIssues(first.issues, call.params, schema)}`,
      { details: { issues: first.issues } },
    );
  }

  /** Takes the call's lanes, then a place among those that run; returns what gives both back. */
  #admit(call: Call): MaybePromise<() => void> {
    const { tool, context } = call;
    const lanes =
      tool.lanes === undefined ? lanesOf(call.effects) : tool.lanes(call.params as never, context);
    if (lanes.length === 0 && this.#places.tryAcquire()) return this.#leavePlace;
    return this.#wait(call, lanes);
  }

  async #wait(call: Call, lanes: ReturnType<typeof lanesOf>): Promise<() => void> {
    if (this.#places.waiting >= (this.#options.maxWaiting ?? 1000)) {
      throw new ToolBusyError(
        call.toolName,
        `Cannot start "${call.toolName}": ${this.#places.waiting} calls wait already; try again when some have ended`,
      );
    }
    const waitMs = this.#options.maxWaitMs ?? 60_000;
    const busy = new ToolBusyError(
      call.toolName,
      `Cannot start "${call.toolName}": it waited ${waitMs} ms for its turn; try again when other calls have ended`,
    );
    const patience = call.patience(this.#clock, waitMs, busy);
    try {
      const leaveLanes = lanes.length === 0 ? () => {} : await this.#lanes.enter(lanes, patience.signal);
      try {
        await this.#places.acquire(call.caller, patience.signal);
      } catch (error) {
        leaveLanes();
        throw error;
      }
      return () => {
        this.#places.release();
        // A tool that did not stop still holds what it works on; its place is free for others.
        if (call.unsettled === undefined) leaveLanes();
        else void call.unsettled.then(leaveLanes);
      };
    } finally {
      patience.end();
    }
  }

  #limitsOf(call: Call): Parameters<typeof runTool>[1] {
    const { timeoutMs: own } = call.tool;
    const wanted =
      typeof own === "function" ? own(call.params as never) : (own ?? this.#options.timeoutMs ?? 30_000);
    const timeoutMs = Math.min(
      wanted,
      call.context.timeoutMs ?? wanted,
      this.#options.maxTimeoutMs ?? 600_000,
    );
    return {
      timeoutMs,
      graceMs: this.#options.graceMs ?? 2000,
      maxPartialChars: call.tool.maxOutputChars ?? this.#maxOutputChars,
      clock: this.#clock,
      redact: this.#options.redact,
    };
  }

  /** Before anything can happen the ledger has the call. A call that changes nothing need not wait for it. */
  #recordStart(call: Call): Promise<void> | undefined {
    const { ledger } = this.#options;
    if (ledger === undefined) return undefined;
    const written = ledger.start(call.toLedger(this.#options.redact));
    call.recorded = written;
    if (call.changesNothing) {
      written.catch(() => {}); // Reported when the end is recorded.
      return undefined;
    }
    return written.catch((cause: unknown) => {
      throw new ToolError(
        call.toolName,
        "TOOL_UNRECORDED",
        `Cannot run "${call.toolName}": the ledger could not record its start, so nothing was done; see that the store can be written`,
        { cause },
      );
    });
  }

  /** Steps 8 to 11. */
  async #settle(call: Call, came: HookOutcome): Promise<ToolResult> {
    let outcome = came;
    if (this.#hooks.length > 0 && call.found)
      outcome = await runAfterHooks(this.#hooks, call, came, this.#clock);
    const result = await this.#toResult(call, outcome);
    if (call.found) this.#registry.updateCallStats(call.toolName, result.durationMs, result.success);
    if (this.#options.ledger !== undefined) await this.#recordEnd(call, result, this.#options.ledger);
    return result;
  }

  async #toResult(call: Call, outcome: HookOutcome): Promise<ToolResult> {
    if (!outcome.success) return this.#toFailure(call, outcome.error);
    const bounds = this.#boundsOf(call);
    const { value } = outcome;
    if (isSmallText(value, bounds))
      return { success: true, result: value, text: value, ...call.settled(this.#clock.now()) };
    let output: Output;
    try {
      output = await boundOutput(value, bounds);
    } catch (thrown) {
      return this.#toFailure(call, toError(thrown));
    }
    const { text, content, artifact } = output;
    if (artifact !== undefined)
      call.notes.push(`output: ${artifact.chars} characters, kept whole as ${artifact.id}`);
    return {
      success: true,
      result: output.value,
      text,
      ...(content !== undefined && { content }),
      ...(artifact !== undefined && { artifact }),
      ...call.settled(this.#clock.now()),
    };
  }

  async #toFailure(call: Call, thrown: Error): Promise<ToolResult> {
    const { redact } = this.#options;
    const clean = (text: string) => redact?.(text) ?? text;
    const bounds = this.#boundsOf(call);
    const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "TOOL_FAILED";
    const error = headOf(clean(thrown.message || thrown.name), Math.min(bounds.maxChars, 4000));
    const details = "details" in thrown ? (thrown.details as Record<string, unknown> | undefined) : undefined;
    const partial = call.partial === "" ? undefined : await boundText(clean(call.partial), bounds);
    return {
      success: false,
      error,
      code,
      text: `${error} [${code}]${partial === undefined ? "" : `\nOutput until then:\n${partial.text}`}`,
      ...(details !== undefined && {
        details: JSON.parse(clean(JSON.stringify(details))) as Record<string, unknown>,
      }),
      ...(partial !== undefined && { partial: partial.text }),
      ...(partial?.artifact !== undefined && { artifact: partial.artifact }),
      ...(call.unsettled !== undefined && { stillRunning: true as const }),
      ...call.settled(this.#clock.now()),
    };
  }

  #boundsOf(call: Call): OutputBounds {
    const { artifacts, redact } = this.#options;
    return {
      toolName: call.toolName,
      maxChars: call.found ? (call.tool.maxOutputChars ?? this.#maxOutputChars) : this.#maxOutputChars,
      redact,
      keep:
        artifacts &&
        ((text) =>
          artifacts.put({
            scope: call.scope,
            callId: call.id,
            kind: "output",
            mimeType: "text/plain",
            data: text,
          })),
    };
  }

  /** The effect has happened: a ledger that can't take its end is told of, and the result stands. */
  async #recordEnd(call: Call, result: ToolResult, ledger: Ledger): Promise<void> {
    try {
      const ended = ledger.end(call.toLedger(this.#options.redact), call.toOutcome(result));
      await Promise.all([call.recorded, ended]);
    } catch (error) {
      call.notes.push("ledger: the end of this call could not be recorded");
      this.#options.onError?.(error);
    }
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
