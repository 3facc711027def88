export type { AgentFile, AgentSettings } from "./agent-file.ts";
export { type AgentSource, createAgentSource } from "./agent-source.ts";
