import type { Clock, MaybePromise } from "../../base/index.ts";
import type { ToolCancelledError } from "../errors.ts";
import type { Judgement, Verdict } from "../policy/permissions.ts";
import type { Plan } from "../policy/plan.ts";
import type { Trust } from "../policy/trust.ts";
import type { LedgerCall, LedgerDecision, LedgerOutcome } from "../ports/ledger.ts";
import type { Toolset } from "../registry/toolset.ts";
import type { Redact } from "../secrets/redactor.ts";
import type { HiddenArguments } from "../secrets/secrets.ts";
import type { Effect } from "../tool/effect.ts";
import type { Tool, ToolPool } from "../tool/tool.ts";
import type { CallContext, ToolUpdate } from "./context.ts";
import type { ToolResult } from "./result.ts";

/** A call that made another, as that one sees it. */
export interface Outer {
  readonly call: ResolvedCall;
  /** How many calls it is within, itself counted. */
  readonly depth: number;
  /** The call of a client or a model that all of them are within. */
  readonly outermost: Call;
  /** The count of planned calls; undefined for a call that runs. */
  readonly planning: Planning | undefined;
  /** Its time stands still while a call of it waits for a person. */
  whilePerson<Value>(wait: () => Promise<Value>): Promise<Value>;
  /** Whether the yes that it has is one to this call too, which uses that up. */
  answers(call: ResolvedCall, verdict: Verdict, judgements: readonly Judgement[]): boolean;
}

/** How many calls a call plans, those that its calls plan in turn included. */
export interface Planning {
  readonly planner: Call;
  planned: number;
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
  readonly within?: WithinCall | undefined;
  readonly redact?: Redact | undefined;
  /** What of its arguments nobody is shown; undefined: nothing is hidden. */
  readonly hides?: HiddenArguments | undefined;
}

/** What the calls within a call have met. */
export interface InnerCalls {
  /** One of them brought untrusted data. */
  readonly metUntrusted: boolean;
  /** One of them read private data. */
  readonly metPrivate: boolean;
  /** The hosts that they connected to. */
  readonly hosts: readonly string[];
  /** One of them has waited in vain for an answer. */
  readonly unanswered: boolean;
}

/**
 * A call on its way through the gate, as it begins. Each step takes the state that the step before has made and makes
 * the next: {@link FoundCall}, {@link ValidCall}, {@link TracedCall}, {@link ResolvedCall}, {@link DecidedCall}, and
 * {@link RunningCall}.
 */
export interface Call {
  readonly id: string;
  readonly toolName: string;
  /** The name under which the registry has the tool: `name@version` if it has several versions. */
  readonly entryName: string;
  readonly context: CallContext;
  readonly scope: string;
  /** The call that made this one. */
  readonly outer: Outer | undefined;
  readonly inner: InnerCalls;
  /** Called by its inner calls for what they have met. */
  noteInner(met: Partial<InnerCalls>): void;
  /** The bound of its result, where its caller wants another than its tool has. */
  readonly maxOutputChars: number | undefined;
  /** Unix ms. */
  readonly startedAt: number;
  /** The caller whose turn in the queue it uses: callers wait in turn. */
  readonly caller: string;
  /** The arguments without those that are secret. */
  readonly shownParams: unknown;
  /** What of its arguments nobody is shown; undefined: nothing is hidden. */
  readonly hides: HiddenArguments | undefined;
  /** Takes secrets out of all that the call shows, its secret arguments too. */
  readonly redact: Redact | undefined;
  readonly notes: string[];
  /** Notes for the ledger alone: no caller is told. */
  readonly asides: string[];
  /** The tool is done, or given up on: its caller can't cancel the call any more. */
  readonly over: boolean;
  readonly cancelled: boolean;
  /** What is known of it, however far it came. */
  readonly soFar: CallSoFar;
  find(tool: Tool, toolset: Toolset): FoundCall;
  end(): CallSoFar;
  /** Why the call ends if it is cancelled. */
  cancellation(): ToolCancelledError;
  /** Cancels the call for somebody who is not its caller. False if it is over, or was cancelled before. */
  stop(by: string): boolean;
  /**
   * Calls `stop` once: as soon as the caller cancels, or with `tooLong()` after `ms`. The returned function ends the
   * watch. A call that was cancelled before is not told again.
   */
  watch(clock: Clock, ms: number, tooLong: () => Error, stop: (reason: Error) => void): () => void;
  /** {@link Call.watch} without end. */
  watchCancel(stop: (reason: Error) => void): () => void;
  /** What `act` gives; rejects, and aborts the signal of `act`, if the caller cancels or `ms` pass before that. */
  within<Value>(
    clock: Clock,
    ms: number,
    tooLong: () => Error,
    act: (signal: AbortSignal) => MaybePromise<Value>,
  ): Promise<Value>;
  toLedger(): LedgerCall;
  toOutcome(result: ToolResult): LedgerOutcome;
}

/** A call whose tool is there, and callable by its caller. */
export interface FoundCall extends Call {
  readonly soFar: FoundSoFar;
  readonly tool: Tool;
  /** What its caller has of the registry. */
  readonly toolset: Toolset;
  /** The arguments that are still to be validated. */
  readonly given: unknown;
  /** Accepts arguments that the tool's schema has passed. */
  accept(params: unknown): ValidCall;
}

/** A call with valid arguments. */
export interface ValidCall extends FoundCall {
  readonly params: unknown;
  /** Replaces the arguments by others, which are to be validated. */
  change(params: unknown): FoundCall;
  trace(taint: Taint): TracedCall;
}

/** What untrusted data means for a call. */
export interface Taint {
  /** Whether the arguments hold untrusted data. */
  readonly trust: Trust;
  /** A connection that it makes would tell an untrusted host what was read here. */
  readonly discloses: boolean;
  /** The sources of the untrusted data and the targets it would go to, one phrase each. */
  readonly taints: readonly string[];
}

/** A call whose arguments have been looked through for untrusted data. */
export interface TracedCall extends ValidCall, Taint {
  resolve(effects: readonly Effect[]): ResolvedCall;
}

/** A call whose effects are known. */
export interface ResolvedCall extends TracedCall {
  readonly effects: readonly Effect[];
  /** The calls that it will make, where its tool says so beforehand. */
  readonly plan: Plan | undefined;
  /** Copies the arguments: nobody else can change them from here on, unless they hold what can't be copied. */
  detachArguments(): void;
  usePlan(plan: Plan): void;
  allow(decision: LedgerDecision): DecidedCall;
  deny(decision: LedgerDecision): void;
}

/** A call that rules, a remembered answer or a person allowed. */
export interface DecidedCall extends ResolvedCall {
  readonly decision: LedgerDecision;
  /** The calls it waits with; undefined: all of this executor. As its tool said first, whatever becomes of the arguments. */
  readonly pool: ToolPool | undefined;
  /** Whether the call only reads on this machine, by its decided effects and its annotations. */
  readonly onlyReads: boolean;
  /** Says that the ledger is given the start; `written` settles when it has it. */
  record(written: Promise<void>): void;
  run(): RunningCall;
}

/** A call whose tool was started. */
export interface RunningCall extends DecidedCall {
  /** Output so far, of a tool that shows it. */
  partial: string;
  /** Set if the tool did not stop in time: settles when it does. */
  unsettled: Promise<void> | undefined;
  /** Passes each update to a call that waits for the result of this one, until the returned function is called. */
  follow(onUpdate: (update: ToolUpdate) => void): () => void;
  /** Tells its followers of an update. */
  tellFollowers(update: ToolUpdate): void;
}

/** What is known of a call, however far it came. */
export interface CallSoFar extends Call {
  readonly tool: Tool | undefined;
  readonly params: unknown;
  readonly trust: Trust;
  readonly effects: readonly Effect[];
  readonly plan: Plan | undefined;
  readonly ran: boolean;
  readonly recorded: Promise<void> | undefined;
  readonly unsettled: Promise<void> | undefined;
  partial: string;
  /** Whether what the call gives back is untrusted. */
  resultTrust: Trust;
  /** Whether what the call gives back was read or worked out on this machine. */
  resultIsPrivate: boolean;
  /** The hosts that the call and those within it connected to. */
  resultHosts: readonly string[];
  /** The files that the call writes with data from outside, as far as that is known yet. */
  untrustedFiles: readonly string[];
}

/** What is known of a call that came as far as its tool. */
export interface FoundSoFar extends CallSoFar {
  readonly tool: Tool;
}
