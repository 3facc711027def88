import { CodedError } from "../base/index.ts";

/** Why what a model was asked for was not done. */
export const agentErrorCodes = ["AGENT_ANSWER", "AGENT_REFUSED", "AGENT_WORK"] as const;
export type AgentErrorCode = (typeof agentErrorCodes)[number];

/** Nothing was changed. */
export class AgentError extends CodedError<AgentErrorCode> {
  override readonly name = "AgentError";
}
