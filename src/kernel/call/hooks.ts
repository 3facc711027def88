import type { MaybePromise } from "../../base/index.ts";
import type { ToolInfo } from "../tool/tool-info.ts";
import type { CallContext } from "./context.ts";

/** A call as hooks see it. */
export interface HookCall {
  readonly callId: string;
  readonly tool: ToolInfo;
  readonly params: unknown;
  /** {@link HookCall.params} without what is secret in them. */
  readonly shownParams: unknown;
  readonly context: CallContext;
  readonly signal: AbortSignal;
}

/** `block` ends the call with its message; `params` replaces the arguments, which are validated again. */
export type BeforeAnswer = { readonly block: string } | { readonly params: unknown } | undefined | void;

/** How a call came out, before its output is bounded. */
export type HookOutcome =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/** `value` replaces what the tool returned; `block` withholds it, with its message. */
export type AfterAnswer = { readonly block: string } | { readonly value: unknown } | undefined | void;

/**
 * Code around every call, in the order given. `before` is asked once the arguments are valid and before anything
 * is decided; `after` sees how the call came out and may change what is returned, not whether it succeeded, and it
 * may withhold what the tool said. Output that a tool shows before its end was shown before `after` is asked.
 */
export interface Hook {
  readonly name: string;
  /** The tools it is for; absent, all. */
  readonly appliesTo?: (tool: ToolInfo) => boolean;
  /** @default 10,000 */
  readonly timeoutMs?: number;
  /**
   * false: advisory; its failure is noted and the call goes on.
   * @default true: a failing `before` blocks the call, a failing `after` withholds its result
   */
  readonly blocking?: boolean;
  readonly before?: (call: HookCall) => MaybePromise<BeforeAnswer>;
  readonly after?: (call: HookCall, outcome: HookOutcome) => MaybePromise<AfterAnswer>;
}
