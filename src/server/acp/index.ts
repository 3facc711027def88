export { type AcpStreams, serveAcp } from "./acp-agent.ts";
export type { AcpAsking, AcpChoice } from "./options.ts";
