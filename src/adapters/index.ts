// Tools for the frameworks of agents: AI SDK, LangChain, Mastra, OpenAI Agents.
export type { AdapterOptions, ToolHost } from "./agent-tools.ts";
export { type AISDKParts, type AISDKTool, toAISDK } from "./ai-sdk.ts";
export { type HumanRequest, type LangChainParts, toLangChain } from "./langchain.ts";
export { type MastraParts, toMastra } from "./mastra.ts";
export { type OpenAIAgentsTool, toOpenAIAgents } from "./openai-agents.ts";
export { type AgentToolOutput, FailedCallError, type OutputPart } from "./tool-output.ts";
