import type { ToolUpdate } from "../../kernel/index.ts";
import type { ChatUsage } from "../../model/index.ts";
import type { ResultEntry, WaitingMessage } from "../../modules/sessions/index.ts";
import type { BudgetUse } from "../usage/budget.ts";
import type { RunStop } from "./next-action.ts";

/** Events of a run, as they happen. Everything that has to last is in the entries before its event. */
export type AgentEvent =
  | { readonly type: "run.began"; readonly runId: string; readonly sessionId: string }
  | { readonly type: "run.ended"; readonly end: RunEnd }
  | { readonly type: "step.began"; readonly step: number }
  | { readonly type: "answer.text"; readonly delta: string }
  | { readonly type: "answer.reasoning"; readonly delta: string }
  /** The pieces of the answer shown so far do not count: it is asked for again, or was interrupted. */
  | { readonly type: "answer.withdrawn"; readonly why: string }
  /** A request to the model failed, and another is made in `waitMs`: of the same model where `retry` is given. */
  | ({ readonly type: "request.retried" } & RequestRetry)
  /** `cost`: micro-USD of the request; absent if it is not known. */
  | {
      readonly type: "answer.ended";
      readonly step: number;
      readonly text: string;
      readonly usage: ChatUsage;
      readonly cost?: number;
    }
  /**
   * The agent says this to the person it works for. Only an agent that speaks by `reply` has this event; its answers
   * are not shown.
   */
  | { readonly type: "reply"; readonly text: string }
  | { readonly type: "call.began"; readonly callId: string; readonly name: string; readonly input: string }
  | { readonly type: "call.updated"; readonly callId: string; readonly update: ToolUpdate }
  | { readonly type: "call.ended"; readonly callId: string; readonly result: ResultEntry }
  /** The call is made once what it waits for has come: `approval:<id of the question>`, `halt:<id of a run>`. */
  | { readonly type: "call.parked"; readonly callId: string; readonly name: string; readonly waitFor: string }
  /** Older entries are shown shorter from now on. */
  | { readonly type: "compacted"; readonly by: "prune" | "summarise" }
  | { readonly type: "message.taken"; readonly message: WaitingMessage }
  /** The model was told something that nobody wrote. */
  | { readonly type: "note"; readonly about: string; readonly text: string };

/** Why a request to the model is made again. */
export interface RequestRetry {
  /** The code of the error: `MODEL_RATE_LIMIT`, `CONNECT_FAILED`, … */
  readonly code: string;
  /** The error in words. */
  readonly why: string;
  /** The id of the model that is asked next. */
  readonly next: string;
  readonly waitMs: number;
  /** Which retry of the same model this is, and how many there are at most. */
  readonly retry?: { readonly number: number; readonly of: number };
  /** The origin of the address that did not answer, where the connection failed. */
  readonly origin?: string;
}

/** Why a run is parked: a question is open, its tasks are under way, or no model can be asked yet. */
export type ParkReason = "approval" | "task" | "rate-limit";

/** The end of a run that somebody has to decide about. */
export interface PausedEnd {
  readonly state: "paused";
  /** `steps`, `budget`, `repetition`, `context`. */
  readonly why: string;
  readonly text: string;
  /** The limit that is spent: the run goes on once it is raised. */
  readonly budget?: BudgetUse;
}

/** How a run ended, or why it can't go on by itself. */
export type RunEnd =
  | { readonly state: "completed"; readonly stop: Exclude<RunStop, "interrupted">; readonly text: string }
  | { readonly state: "stopped"; readonly stop: "interrupted"; readonly text: string }
  /** Somebody has to decide how it goes on. */
  | PausedEnd
  /** It goes on by itself once an answer that it waits for has come, or a time. */
  | { readonly state: "parked"; readonly why: ParkReason; readonly waitFor: string; readonly text: string }
  | { readonly state: "failed"; readonly code: string; readonly text: string };
