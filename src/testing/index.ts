// For tests: a clock, a scripted model, a chaotic MCP server, and the cases that a store of your own must pass.
export { approvalCases } from "./approval-cases.ts";
export { artifactCases } from "./artifact-cases.ts";
export { changeLogCases } from "./change-log-cases.ts";
export {
  type ChaosClient,
  type ChaosHttpRequest,
  type ChaosHttpResponse,
  ChaosMcpServer,
  type ChaosOptions,
  type ChaosTool,
  chaosTools,
  createChaosHttpHandler,
  serveChaosStdio,
} from "./chaos-mcp-server.ts";
export type { ContractCase } from "./contract-case.ts";
export { createFakeClock, type FakeClock } from "./fake-clock.ts";
export { grantCases } from "./grant-cases.ts";
export { type GraphSubject, graphCases } from "./graph-cases.ts";
export { indexStoreCases } from "./index-store-cases.ts";
export { jobCases } from "./job-cases.ts";
export { ledgerCases } from "./ledger/ledger-cases.ts";
export { memoryCases } from "./memory-cases.ts";
export { modelUsageCases } from "./model-usage-cases.ts";
export {
  createScriptedChat,
  type ScriptedChat,
  type ScriptedChatAnswer,
  type ScriptedChatOptions,
  type ScriptedTurn,
} from "./scripted-chat.ts";
export { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "./scripted-model.ts";
export { type SessionSubject, sessionCases } from "./session-cases.ts";
export { taskCases } from "./task-cases.ts";
export { usageCases } from "./usage-cases.ts";
export { vectorCases } from "./vector-cases.ts";
