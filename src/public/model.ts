// The port of language models: implement it to give haft a model.
export {
  AgentError,
  type AgentErrorCode,
  agentErrorCodes,
  type Model,
  type ModelAnswer,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
} from "../model/index.ts";
