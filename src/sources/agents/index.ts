export type { AgentFile, AgentSettings } from "./agent-file.ts";
export { type AgentSource, type AgentSourceServices, createAgentSource } from "./agent-source.ts";
