import { type Clock, type MaybePromise } from "../../base/index.ts";
import { ToolCancelledError } from "../errors.ts";
import type { Judgement, Verdict } from "../policy/permissions.ts";
import type { Plan } from "../policy/plan.ts";
import type { Trust } from "../policy/trust.ts";
import type { LedgerCall, LedgerDecision, LedgerOutcome } from "../ports/ledger.ts";
import { chainRedact, createRedactor } from "../secrets/redact.ts";
import type { Redact, Redactor } from "../secrets/redactor.ts";
import type { HiddenArguments } from "../secrets/secrets.ts";
import type { Effect } from "../tool/effect.ts";
import type { Tool, ToolPool } from "../tool/tool.ts";
import type { CalledTool } from "./called-tool.ts";
import type { CallContext, ToolUpdate } from "./context.ts";
import type { ToolResult } from "./result.ts";

const noEffects: readonly Effect[] = [];

/** A call that made another, as that one sees it. */
export interface Outer {
  readonly call: Call;
  /** How many calls it is within, itself counted. */
  readonly depth: number;
  /** The call of a client or a model that all of them are within. */
  readonly outermost: Call;
  /** Its time stands still while a call of it waits for a person. */
  whilePerson<Value>(wait: () => Promise<Value>): Promise<Value>;
  /** Whether the yes that it has is one to this call too, which uses that up. */
  answers(call: Call, verdict: Verdict, judgements: readonly Judgement[]): boolean;
}

/** What a call has from the one that makes it. */
export interface WithinCall {
  readonly outer: Outer;
  /** The bound of its result, in characters. @default as any call of its tool */
  readonly maxOutputChars?: number | undefined;
}

/** When and where a call began. */
export interface CallStart {
  readonly id: string;
  /** Unix ms. */
  readonly startedAt: number;
  /** @default of its own */
  readonly within?: WithinCall | undefined;
}

/** One call on its way through the gate: what the steps have found out so far. */
export class Call {
  readonly id: string;
  readonly toolName: string;
  /** Where the registry has it: `name@version` where there are several. */
  readonly entryName: string;
  readonly context: CallContext;
  readonly scope: string;
  /** The call that made this one. */
  readonly outer: Outer | undefined;
  /** The bound of its result, where its caller wants another than its tool has. */
  readonly maxOutputChars: number | undefined;
  /** The calls that it will make, where its tool says so beforehand. */
  plan: Plan | undefined;
  /** A call within it has waited in vain for an answer. */
  unanswered = false;
  /** The call that it was planned for, where it is none that was made. */
  planner: Call | undefined;
  /** How many calls were planned for it, those that its calls will make too. */
  planned = 0;
  /** Whether one of the calls that it made brought untrusted data; one read what is private here. */
  metOutside = false;
  metPrivate = false;
  /** Unix ms. */
  readonly startedAt: number;
  params: unknown;
  effects: readonly Effect[] = noEffects;
  /** Whether the arguments hold data from outside. */
  trust: Trust = "trusted";
  /** A connection that it makes would tell a host from outside what was read here. */
  discloses = false;
  /** Where untrusted data in the arguments comes from, and where it would go, one phrase each. */
  readonly taints: string[] = [];
  /** Whether what the call gives back is from outside. */
  resultTrust: Trust = "trusted";
  /** Its tool was started. */
  ran = false;
  decision: LedgerDecision | undefined;
  readonly notes: string[] = [];
  /** Notes for the ledger alone: no caller is told. */
  readonly asides: string[] = [];
  /** Output so far, of a tool that shows it. */
  partial = "";
  /** The tool is done, or given up on: its caller can't cancel the call any more. */
  over = false;
  /** Set if the tool did not stop in time: settles when it does. */
  unsettled: Promise<void> | undefined;
  /** It has a place among the calls that run; one that waits for a person has given it back. */
  hasPlace = false;
  /** Leaves what it holds against other calls; undefined: nothing. */
  releaseLocks: (() => void) | undefined;
  /** Takes secrets out of all that the call shows, its secret arguments too. */
  redact: Redact | undefined;
  /** What of its arguments nobody is shown; undefined: nothing is hidden. */
  hides: HiddenArguments | undefined;
  /** Settles when the ledger has the start. */
  recorded: Promise<void> | undefined;
  onUpdate: ((update: ToolUpdate) => void) | undefined;
  #tool: Tool | undefined;
  #pool: ToolPool | undefined;
  #ledgerCall: LedgerCall | undefined;
  #guard: Redactor | undefined;

  constructor({ toolName, entryName }: CalledTool, params: unknown, context: CallContext, start: CallStart) {
    const { startedAt, id, within } = start;
    this.id = id;
    this.maxOutputChars = within?.maxOutputChars;
    this.outer = within?.outer;
    this.toolName = toolName;
    this.entryName = entryName;
    this.params = params;
    this.context = context;
    this.scope = context.scope ?? "local";
    this.startedAt = startedAt;
  }

  get found(): boolean {
    return this.#tool !== undefined;
  }

  get tool(): Tool {
    return this.#tool as Tool;
  }

  set tool(tool: Tool) {
    this.#tool = tool;
  }

  /** Whom to be fair to. */
  get caller(): string {
    const { agentId, taskId, userId } = this.context;
    return taskId ?? agentId ?? userId ?? this.scope;
  }

  /** Keeps the secret arguments, as they are now, out of whatever else is said of the call. */
  guardArguments(): void {
    if (this.hides === undefined) return;
    if (this.#guard === undefined) {
      this.#guard = createRedactor(new Map());
      this.redact = chainRedact(this.#guard, this.redact);
    }
    for (const [name, text] of this.hides.textsIn(this.params)) this.#guard.learn(name, text);
  }

  /** Those it waits with; undefined: all of this executor. As its tool said first, whatever becomes of the arguments. */
  get pool(): ToolPool | undefined {
    const { pool } = this.tool;
    if (typeof pool !== "function") return pool;
    this.#pool ??= pool(this.params as never);
    return this.#pool;
  }

  /**
   * Copies the arguments: nobody else can change them from here on, unless they hold what can't be copied.
   */
  detachArguments(): void {
    try {
      this.params = structuredClone(this.params);
    } catch {} // A function or the like, of a caller in this program.
  }

  /** The arguments without those that are secret. */
  get shownParams(): unknown {
    return this.hides === undefined ? this.params : this.hides.show(this.params);
  }

  /** Whether the call only reads on this machine, by its decided effects and its annotations. */
  get onlyReads(): boolean {
    return this.tool.annotations.readOnly === true && this.effects.every(({ kind }) => kind === "read");
  }

  get cancelled(): boolean {
    return !this.over && this.context.signal?.aborted === true;
  }

  /** Why the call ends if its caller cancels it. */
  cancellation(): ToolCancelledError {
    return new ToolCancelledError(this.toolName, { cause: this.context.signal?.reason });
  }

  /**
   * Calls `stop` once: as soon as the caller cancels, or with `tooLong()` after `ms`. The returned function ends the
   * watch. A call that was cancelled before is not told again.
   */
  watch(clock: Clock, ms: number, tooLong: () => Error, stop: (reason: Error) => void): () => void {
    const signal = this.over ? undefined : this.context.signal;
    if (signal === undefined) return clock.after(ms, () => stop(tooLong()));
    const cancel = () => {
      endTimer();
      stop(this.cancellation());
    };
    const endTimer = clock.after(ms, () => {
      signal.removeEventListener("abort", cancel);
      stop(tooLong());
    });
    signal.addEventListener("abort", cancel, { once: true });
    return () => {
      endTimer();
      signal.removeEventListener("abort", cancel);
    };
  }

  /** {@link Call.watch} without end. */
  watchCancel(stop: (reason: Error) => void): () => void {
    const { signal } = this.context;
    const cancel = () => {
      if (!this.over) stop(this.cancellation());
    };
    signal?.addEventListener("abort", cancel, { once: true });
    return () => signal?.removeEventListener("abort", cancel);
  }

  /** What `act` gives; rejects, and aborts the signal of `act`, if the caller cancels or `ms` pass before that. */
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
      toolVersion: this.#tool?.version,
      scope: this.scope,
      taskId: context.taskId,
      agentId: context.agentId,
      userId: context.userId,
      channel: context.origin?.channel,
      client: context.origin?.client,
      session: context.origin?.session,
      project: context.project,
      params,
      paramsText: this.redact?.(paramsText) ?? paramsText,
      idempotent: this.#tool?.annotations.readOnly === true || this.#tool?.annotations.idempotent === true,
      decision: this.decision,
      startedAt: this.startedAt,
    };
    return this.#ledgerCall;
  }

  toOutcome(result: ToolResult): LedgerOutcome {
    return {
      success: result.success,
      code: result.success ? undefined : result.code,
      text: result.text,
      notes: this.asides.length === 0 ? result.notes : [...result.notes, ...this.asides],
      artifactId: result.artifact?.id,
      stillRunning: !result.success && result.stillRunning === true,
      completedAt: result.completedAt,
      durationMs: result.durationMs,
    };
  }
}

function toText(params: unknown): string {
  try {
    return JSON.stringify(params) ?? "";
  } catch {
    return "[not a JSON value]";
  }
}
