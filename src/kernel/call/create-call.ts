import type { Clock, MaybePromise } from "../../base/index.ts";
import { ToolCancelledError } from "../errors.ts";
import type { Plan } from "../policy/plan.ts";
import type { Trust } from "../policy/trust.ts";
import { type LedgerCall, type LedgerDecision, type LedgerOutcome, notBegunNote } from "../ports/ledger.ts";
import type { Toolset } from "../registry/toolset.ts";
import { chainRedact, createRedactor } from "../secrets/redact.ts";
import type { Redact, Redactor } from "../secrets/redactor.ts";
import type { HiddenArguments } from "../secrets/secrets.ts";
import type { Effect } from "../tool/effect.ts";
import type { Tool, ToolPool } from "../tool/tool.ts";
import type {
  Call,
  CallSoFar,
  CallStart,
  DecidedCall,
  FoundCall,
  FoundSoFar,
  InnerCalls,
  Outer,
  ResolvedCall,
  RunningCall,
  Taint,
  TracedCall,
  ValidCall,
} from "./call.ts";
import type { CalledTool } from "./called-tool.ts";
import type { CallContext, ToolUpdate } from "./context.ts";
import type { ToolResult } from "./result.ts";

/** Creates a call as its caller made it. */
export function createCall(
  called: CalledTool,
  params: unknown,
  context: CallContext,
  start: CallStart,
): Call {
  return new CallState(called, params, context, start);
}

const noEffects: readonly Effect[] = [];
const noTaints: readonly string[] = [];
const none: readonly string[] = [];
const nothingMet: InnerCalls = { metUntrusted: false, metPrivate: false, hosts: none, unanswered: false };

/** All states of a call in one object: what a state adds is undefined or empty before it. */
class CallState implements RunningCall {
  readonly id: string;
  readonly toolName: string;
  readonly entryName: string;
  readonly context: CallContext;
  readonly scope: string;
  readonly outer: Outer | undefined;
  inner = nothingMet;
  readonly maxOutputChars: number | undefined;
  readonly startedAt: number;
  readonly hides: HiddenArguments | undefined;
  readonly notes: string[] = [];
  readonly asides: string[] = [];
  redact: Redact | undefined;
  over = false;
  tool!: Tool;
  toolset!: Toolset;
  params: unknown;
  trust: Trust = "trusted";
  discloses = false;
  taints = noTaints;
  effects = noEffects;
  plan: Plan | undefined;
  decision!: LedgerDecision;
  recorded: Promise<void> | undefined;
  ran = false;
  partial = "";
  unsettled: Promise<void> | undefined;
  resultTrust: Trust = "trusted";
  resultIsPrivate = false;
  resultHosts = none;
  untrustedFiles = none;
  #pool: ToolPool | undefined;
  #ledgerCall: LedgerCall | undefined;
  #guard: Redactor | undefined;
  #followers: Set<(update: ToolUpdate) => void> | undefined;
  #stoppedBy: string | undefined;
  #cancels: Set<() => void> | undefined;

  constructor({ toolName, entryName }: CalledTool, params: unknown, context: CallContext, start: CallStart) {
    const { startedAt, id, within, redact, hides } = start;
    this.id = id;
    this.maxOutputChars = within?.maxOutputChars;
    this.outer = within?.outer;
    this.toolName = toolName;
    this.entryName = entryName;
    this.params = params;
    this.context = context;
    this.scope = context.scope ?? "local";
    this.startedAt = startedAt;
    this.redact = redact;
    this.hides = hides;
    if (hides !== undefined) this.#guardGiven();
  }

  get soFar(): FoundSoFar {
    return this;
  }

  get given(): unknown {
    return this.params;
  }

  get caller(): string {
    const { agentId, taskId, userId } = this.context;
    return taskId ?? agentId ?? userId ?? this.scope;
  }

  get pool(): ToolPool | undefined {
    const { pool } = this.tool;
    if (typeof pool !== "function") return pool;
    this.#pool ??= pool(this.params as never);
    return this.#pool;
  }

  get shownParams(): unknown {
    return this.hides === undefined ? this.params : this.hides.show(this.params);
  }

  get onlyReads(): boolean {
    return this.tool.annotations.readOnly === true && this.effects.every(({ kind }) => kind === "read");
  }

  find(tool: Tool, toolset: Toolset): FoundCall {
    this.tool = tool;
    this.toolset = toolset;
    return this;
  }

  accept(params: unknown): ValidCall {
    this.params = params;
    this.#guardArguments();
    return this;
  }

  change(params: unknown): FoundCall {
    this.params = params;
    return this;
  }

  trace({ trust, discloses, taints }: Taint): TracedCall {
    this.trust = trust;
    this.discloses = discloses;
    this.taints = taints;
    return this;
  }

  resolve(effects: readonly Effect[]): ResolvedCall {
    this.effects = effects;
    return this;
  }

  usePlan(plan: Plan): void {
    this.plan = plan;
  }

  detachArguments(): void {
    try {
      this.params = structuredClone(this.params);
    } catch {} // A function or the like, of a caller in this program.
  }

  allow(decision: LedgerDecision): DecidedCall {
    this.decision = decision;
    return this;
  }

  deny(decision: LedgerDecision): void {
    this.decision = decision;
  }

  record(written: Promise<void>): void {
    this.recorded = written;
  }

  run(): RunningCall {
    this.ran = true;
    return this;
  }

  follow(onUpdate: (update: ToolUpdate) => void): () => void {
    this.#followers ??= new Set();
    this.#followers.add(onUpdate);
    return () => this.#followers?.delete(onUpdate);
  }

  tellFollowers(update: ToolUpdate): void {
    for (const onUpdate of this.#followers ?? []) onUpdate(update);
  }

  noteInner(met: Partial<InnerCalls>): void {
    this.inner = { ...this.inner, ...met };
  }

  end(): CallSoFar {
    this.over = true;
    return this;
  }

  get cancelled(): boolean {
    return !this.over && (this.#stoppedBy !== undefined || this.context.signal?.aborted === true);
  }

  cancellation(): ToolCancelledError {
    const by = this.#stoppedBy;
    return new ToolCancelledError(this.toolName, { cause: this.context.signal?.reason, by });
  }

  stop(by: string): boolean {
    if (this.over || this.cancelled) return false;
    this.#stoppedBy = by;
    for (const cancel of Array.from(this.#cancels ?? [])) cancel();
    return true;
  }

  watch(clock: Clock, ms: number, tooLong: () => Error, stop: (reason: Error) => void): () => void {
    if (this.over) return clock.after(ms, () => stop(tooLong()));
    const endTimer = clock.after(ms, () => {
      endCancel();
      stop(tooLong());
    });
    const endCancel = this.#onCancel(() => {
      endTimer();
      stop(this.cancellation());
    });
    return () => {
      endTimer();
      endCancel();
    };
  }

  watchCancel(stop: (reason: Error) => void): () => void {
    return this.#onCancel(() => {
      if (!this.over) stop(this.cancellation());
    });
  }

  /** Calls `cancel` once, if the call is cancelled by its caller or stopped by somebody else. */
  #onCancel(cancel: () => void): () => void {
    const { signal } = this.context;
    const cancels = (this.#cancels ??= new Set());
    const once = () => {
      end();
      cancel();
    };
    const end = () => {
      cancels.delete(once);
      signal?.removeEventListener("abort", once);
    };
    cancels.add(once);
    signal?.addEventListener("abort", once);
    return end;
  }

  within<Value>(
    clock: Clock,
    ms: number,
    tooLong: () => Error,
    act: (signal: AbortSignal) => MaybePromise<Value>,
  ): Promise<Value> {
    if (this.cancelled) return Promise.reject(this.cancellation());
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      const end = this.watch(clock, ms, tooLong, (reason) => {
        controller.abort(reason);
        reject(reason);
      });
      const work = (async () => act(controller.signal))();
      work.finally(end).then(resolve, reject);
    });
  }

  toLedger(): LedgerCall {
    if (this.#ledgerCall !== undefined) return this.#ledgerCall;
    const { context } = this;
    const params = this.shownParams;
    const paramsText = toText(params);
    this.#ledgerCall = {
      callId: this.id,
      toolName: this.toolName,
      toolVersion: this.tool?.version,
      scope: this.scope,
      taskId: context.taskId,
      agentId: context.agentId,
      userId: context.userId,
      channel: context.origin?.channel,
      client: context.origin?.client,
      session: context.origin?.session,
      project: context.project,
      parentCallId: this.outer?.call.id,
      rootCallId: this.outer?.outermost.id,
      params,
      paramsText: this.redact?.(paramsText) ?? paramsText,
      idempotent: this.tool?.annotations.readOnly === true || this.tool?.annotations.idempotent === true,
      decision: this.decision,
      startedAt: this.startedAt,
      ...(this.untrustedFiles.length > 0 && { untrustedFiles: this.untrustedFiles }),
      ...(context.lease !== undefined && { lease: context.lease }),
    };
    return this.#ledgerCall;
  }

  toOutcome(result: ToolResult): LedgerOutcome {
    const isNotBegun = !this.ran && !result.success && result.code === "TOOL_CANCELLED";
    const asides = isNotBegun ? [...this.asides, notBegunNote] : this.asides;
    return {
      success: result.success,
      code: result.success ? undefined : result.code,
      text: result.text,
      notes: asides.length === 0 ? result.notes : [...result.notes, ...asides],
      artifactId: result.artifact?.id,
      stillRunning: !result.success && result.stillRunning === true,
      completedAt: result.completedAt,
      durationMs: result.durationMs,
      ...(this.untrustedFiles !== (this.#ledgerCall?.untrustedFiles ?? none) && {
        untrustedFiles: this.untrustedFiles,
      }),
      ...(this.context.keepOutcome === true && { keep: toKept(result) }),
    };
  }

  #guardGiven(): void {
    try {
      this.#guardArguments();
    } catch {
      this.params = undefined; // What can't be read can't be kept secret either: validation refuses it as absent.
    }
  }

  /** Keeps the secret arguments, as they are now, out of whatever else is said of the call. */
  #guardArguments(): void {
    if (this.hides === undefined) return;
    if (this.#guard === undefined) {
      this.#guard = createRedactor(new Map());
      this.redact = chainRedact(this.#guard, this.redact);
    }
    for (const [name, text] of this.hides.textsIn(this.params)) this.#guard.learn(name, text);
  }
}

function toKept({ trust, private: isPrivate, hosts }: ToolResult): NonNullable<LedgerOutcome["keep"]> {
  return { trust, private: isPrivate, ...(hosts !== undefined && { hosts }) };
}

function toText(params: unknown): string {
  try {
    return JSON.stringify(params) ?? "";
  } catch {
    return "[not a JSON value]";
  }
}
