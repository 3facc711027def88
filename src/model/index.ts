export { AnswerFault, AnswerPart } from "./answer-fault.ts";
export { apiSettings, type ModelProvider, modelName, modelProviders } from "./api-settings.ts";
export { asModel } from "./as-model.ts";
export { askJson } from "./ask-json.ts";
export { type AnswerDeadlines, withDeadlines } from "./chain/deadlines.ts";
export { chainModels, type ModelChainOptions } from "./chain/model-chain.ts";
export type {
  AssistantMessage,
  CallPart,
  ChatEvent,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ChatTool,
  ChatUsage,
  ImagePart,
  ModelFacts,
  ModelPrices,
  OpaqueData,
  ReasoningPart,
  TextPart,
  ToolResultMessage,
  UserMessage,
} from "./chat-model.ts";
export {
  AgentError,
  type AgentErrorCode,
  agentErrorCodes,
  ModelError,
  type ModelErrorCode,
  modelErrorCodes,
} from "./errors.ts";
export type { Model, ModelAnswer, ModelMessage, ModelRequest, ModelUsage } from "./model.ts";
export { type CallCost, findPrices, priceCall, toModelPrices } from "./prices.ts";
export { toSoundUsage } from "./sound-usage.ts";
export { charsPerToken, countTokens } from "./tokens.ts";
