import type { MaybePromise } from "../../base/index.ts";
import type { Approver } from "../policy/approval.ts";
import type { Mode } from "../policy/modes.ts";
import type { Trust } from "../policy/trust.ts";
import type { CallLease } from "../ports/ledger.ts";
import type { Interaction } from "../registry/interaction/interaction.ts";
import type { ToolView } from "../registry/tool-view.ts";
import type { Effect } from "../tool/effect.ts";
import type { ToolLimits } from "../tool/tool-limits.ts";
import type { Origin } from "./origin.ts";
import type { ToolResult } from "./result.ts";

/** The agent of sessions that name none. Its calls name no agent unless it has a file or a configuration. */
export const defaultAgent = "main";

/** What the caller of a tool says of the call. All of it is optional, and an absent bound allows nothing. */
export interface CallContext {
  /** @default a new id */
  readonly callId?: string;
  readonly taskId?: string;
  readonly agentId?: string;
  readonly userId?: string;
  /** The owner of the data that a call works with: `tenant/agent/…`. @default "local" */
  readonly scope?: string;
  readonly origin?: Origin;
  /**
   * The project folder that the call is for: relative paths and commands start there, and it is recorded and shown.
   * Which files the call may touch is set by `allowedPaths` alone. @default the first of `allowedPaths`
   */
  readonly project?: string;
  /** Folders whose files the call may touch without being asked for. Absent or empty: none. */
  readonly allowedPaths?: readonly string[];
  /** Hosts the call may connect to without being asked for: `example.com`, `*.example.com`, `127.0.0.1:8080`. */
  readonly allowedHosts?: readonly string[];
  /** The only tools this caller may call: names and globs. An empty list allows none. Absent: all. An array is read once. */
  readonly allowedTools?: readonly string[];
  /** Tools that this caller may not call, whatever allows them: names and globs. An array is read once. */
  readonly blockedTools?: readonly string[];
  /** More lists; each of them binds, with those of the executor. Bring the same array each time: what it leaves is kept for it. */
  readonly limits?: readonly ToolLimits[];
  /** @default the executor's mode */
  readonly mode?: Mode;
  /** Whether whoever asked for the call is one of those it is for; a stranger's words are data from outside. @default "trusted" */
  readonly trust?: Trust;
  /** Who can be asked about this call. @default the executor's approver */
  readonly approver?: Approver;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Shortens the tool's deadline; it can't lengthen it. */
  readonly timeoutMs?: number;
  /** Called with each piece of progress and partial output, in order. Must not throw. */
  readonly onUpdate?: (update: ToolUpdate) => void;
  /** Called repeatedly while the call waits for a person to answer a stored question. Must not throw. */
  readonly onAwaited?: (questionId: string) => void;
  /** Longest wait for a person who watches stored questions. @default the executor's wait for an answer */
  readonly watcherWaitMs?: number;
  /**
   * Longest wait for a person to say whether the call may run; with 0 its question is stored and the call refused at
   * once. It has no effect if no later call could use the answer, because questions are not stored or arguments are
   * secret, nor on the calls that the call makes itself. A refusal with an open question has the question's id as
   * `details.approval`. @default the executor's `approvalTimeoutMs`, which is also the most
   */
  readonly personMs?: number;
  /**
   * How long a stored question of the call can be answered, and a yes to it be used: 1,000 to 2,592,000,000 (30 days).
   * @default the executor's `approvalLifeMs`
   */
  readonly questionLifeMs?: number;
  /** What is shown in this interaction, which tools such as `load_tools` add to. */
  readonly interaction?: Interaction;
  /**
   * Stores the whole outcome with the record of the call, for a caller that may die before it has stored it itself.
   * @default false
   */
  readonly keepOutcome?: boolean;
  /**
   * The lease that the caller works under. A ledger refuses to record a call whose lease another process has, and the
   * call does not happen. @default none
   */
  readonly lease?: CallLease;
  /** The message that this call follows from: a call that comes off is found again for others like it. */
  readonly goal?: string;
}

/** Second argument of `Tool.check`: the call, before anybody is asked about it. */
export interface CheckContext extends Pick<CallContext, "agentId" | "origin" | "allowedPaths" | "project"> {
  readonly scope: string;
  /** Aborted when the caller cancels or the check takes too long. */
  readonly signal: AbortSignal;
  /** Whether the call may do this without a question; the check must not look at anything else. */
  readonly allows: (effect: Effect) => boolean;
}

/** News of a call that still runs. */
export type ToolUpdate = ToolProgress | ToolPartial;

/** How far a call has come, told while it runs. */
export interface ToolProgress {
  readonly type: "progress";
  /** Grows with each update. */
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A piece of output, as it comes. Joined, the pieces are shown should the call not finish. */
export interface ToolPartial {
  readonly type: "output";
  readonly text: string;
}

/** What a tool gets beside its arguments: only what belongs to this one call. */
export interface ToolContext {
  readonly callId: string;
  /** The outermost call that led to this one; undefined if no other call made it. */
  readonly outerCallId?: string | undefined;
  readonly taskId: string | undefined;
  readonly agentId: string | undefined;
  readonly userId: string | undefined;
  readonly scope: string;
  readonly origin: Origin | undefined;
  /** Folder in which relative paths and commands start. @default the first of `allowedPaths` */
  readonly project?: string | undefined;
  readonly allowedPaths: readonly string[];
  readonly allowedHosts: readonly string[];
  /** What was decided that this call may do. The host honours these and the two lists above, nothing else. */
  readonly effects: readonly Effect[];
  /** Whether the arguments hold data from outside: what the tool keeps of them does too. */
  readonly trust: Trust;
  /** Aborted at the deadline and when the caller cancels. */
  readonly signal: AbortSignal;
  /** Unix time in milliseconds. Later by as long as a person was awaited. */
  readonly deadline: number;
  /** Tells the caller how far the work is. */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Shows the caller a piece of output before the end. */
  readonly output: (text: string) => void;
  /**
   * Releases the call's concurrency slot while it waits for something that needs no work here, such as a timer or
   * another program. Its deadline runs on, and its resource locks are kept. It goes on once a slot is free again. An
   * extension keeps its slot.
   *
   * `act` does the waiting; its signal is aborted when the outcome is no longer needed.
   *
   * @throws what `act` rejects with; the reason of `signal`.
   */
  readonly wait: <Value>(act: (signal: AbortSignal) => MaybePromise<Value>) => Promise<Value>;
  /**
   * Waits for a person, or for other work whose time is not the tool's: meanwhile other calls have its place, and its
   * deadline stands still. What the call holds against other calls it keeps. Goes on once there is a place again.
   *
   * `ask` puts the question; its signal is aborted when nobody needs the answer any more.
   *
   * @throws {ToolError} TOOL_UNANSWERED when all waits of the call together took longer than a question may;
   * TOOL_BUSY where no place came free; what `ask` rejects with; the reason of `signal`.
   */
  readonly awaitPerson: <Answer>(ask: (signal: AbortSignal) => MaybePromise<Answer>) => Promise<Answer>;
  /**
   * A secret that the tool declares in `secrets`. It is taken out of all that the tool shows.
   *
   * @throws {ToolError} SECRET_UNDECLARED, SECRET_NOT_FOUND; the store's own codes.
   */
  readonly secret: (name: string) => Promise<string>;
  /** What the caller has of the registry: it binds those whom the tool tells of tools, and the calls it makes. */
  readonly toolset: ToolView;
  readonly interaction: Interaction | undefined;
  /**
   * Calls another tool for the same caller: through every step of the gate, with the same bounds, and at most until
   * this call ends. While all that this call does is wait for such calls, others have its place, and the time that
   * these wait for people is not its own. What comes back from outside makes the result of this call untrusted too.
   *
   * A refusal is a result, as from the executor. Rejects only once this call has to stop, with the reason of its signal.
   */
  readonly call: (name: string, params: unknown, options?: InnerCallOptions) => Promise<ToolResult>;
}

/** How a tool calls another one. */
export interface InnerCallOptions {
  /** `untrusted` where the arguments were made of what came from outside, which only who made them can know. @default as the call itself */
  readonly trust?: Trust;
  /** Shortens the time of the inner call; it can't lengthen it. */
  readonly timeoutMs?: number;
  /** Cancels the inner call alone. */
  readonly signal?: AbortSignal;
  /** Characters of its result, which no model reads as it is. At most 4,000,000. @default as any call of its tool */
  readonly maxOutputChars?: number;
}
