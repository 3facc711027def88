import { CodedError } from "../base/index.ts";

/** Why what a model was asked for was not done. */
export const agentErrorCodes = ["AGENT_ANSWER", "AGENT_REFUSED", "AGENT_WORK", "AGENT_BUDGET"] as const;

/** One of {@link agentErrorCodes}. */
export type AgentErrorCode = (typeof agentErrorCodes)[number];

/**
 * A model gave nothing that can be used (AGENT_ANSWER), or its provider kept the answer back (AGENT_REFUSED), or
 * the budget for today has no room for the request (AGENT_BUDGET). Nothing was changed.
 *
 * @example
 * ```ts
 * const digest = new ModelDigest({ model: createScriptedModel(["", ""]) });
 * const sources = [{ title: "Monday", text: "Ada moved to Paris.", at: 1_780_000_000_000 }];
 * const signal = AbortSignal.timeout(1_000);
 * const fault = await digest.compact({ project: "shop", sources, signal }).catch((error: unknown) => error);
 * fault instanceof AgentError && fault.code; // → "AGENT_ANSWER"
 * ```
 */
export class AgentError extends CodedError<AgentErrorCode> {
  override readonly name = "AgentError";
}

/** Codes for a model that could not be asked, or whose answer failed. */
export const modelErrorCodes = [
  "MODEL_SETUP",
  "MODEL_PACKAGE",
  "MODEL_AUTH",
  "MODEL_UNKNOWN",
  "MODEL_RATE_LIMIT",
  "MODEL_QUOTA",
  "MODEL_OVERLOADED",
  "MODEL_STATUS",
  "MODEL_CONTEXT",
  "MODEL_REFUSED",
  "MODEL_BAD_REQUEST",
  "MODEL_CUT",
  "MODEL_SILENT",
  "MODEL_TIMEOUT",
  "MODEL_ANSWER",
] as const;

/** One of {@link modelErrorCodes}. */
export type ModelErrorCode = (typeof modelErrorCodes)[number];

/**
 * A model could not be asked, or its answer failed. `details` hold `status` where the provider answered with one,
 * `retry: false` where the same request would fail again, and `retryAfterMs`.
 *
 * @example
 * ```ts
 * const error = new ModelError("MODEL_RATE_LIMIT", "Come back later", { details: { retryAfterMs: 7_000 } });
 * error.retryAfterMs; // → 7_000
 * ```
 */
export class ModelError extends CodedError<ModelErrorCode> {
  override readonly name = "ModelError";

  /** How long the provider asks callers to wait; undefined if it does not say. */
  get retryAfterMs(): number | undefined {
    const wait = this.details?.["retryAfterMs"];
    return typeof wait === "number" ? wait : undefined;
  }
}
