import type { ScriptErrorCode } from "./errors.ts";
import type { ScriptLimits } from "./limits.ts";

/** What a worker is given: one program. */
export interface ScriptTask {
  readonly code: string;
  readonly limits: ScriptLimits;
}

/** What a worker says. */
export type ScriptMessage =
  /** The engine is there: from now on the program has its time. */
  | { readonly type: "started" }
  | { readonly type: "called"; readonly id: number; readonly call: string }
  | { readonly type: "printed"; readonly text: string }
  | ScriptEnd;

export type ScriptEnd =
  /** `result` is JSON; absent where the program gave none. */
  | { readonly type: "done"; readonly result?: string }
  | { readonly type: "failed"; readonly fault: ScriptFault };

export interface ScriptFault {
  readonly code: ScriptErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a worker is told: the {@link Answer} to one call, as JSON. */
export interface AnswerMessage {
  readonly id: number;
  readonly answer: string;
}

/** A call as the program makes it. It crosses as JSON, like all that enters or leaves the program. */
export interface ScriptCall {
  readonly name: string;
  readonly args: unknown;
}

/** What the program gets for a call. `whole` is what `tools.raw` gives. */
export interface Answer {
  readonly whole: AnswerWhole;
  /** Set where the call failed, or gave more than the program can be given: what `tools.NAME` throws. */
  readonly error?: AnswerError;
}

export interface AnswerWhole {
  readonly success: boolean;
  readonly [field: string]: unknown;
}

export interface AnswerError {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
  readonly stillRunning?: boolean;
}
