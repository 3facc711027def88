import { CodedError } from "../base/index.ts";

/** Why what a model was asked for was not done. */
export const agentErrorCodes = ["AGENT_ANSWER", "AGENT_REFUSED", "AGENT_WORK"] as const;

/** One of {@link agentErrorCodes}. */
export type AgentErrorCode = (typeof agentErrorCodes)[number];

/**
 * A model gave nothing that can be used (AGENT_ANSWER), or its provider kept the answer back (AGENT_REFUSED). Nothing
 * was changed.
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
