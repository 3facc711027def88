// MCP servers as people list and change them. Loaded only by code that shows them.
export {
  type AddedServers,
  addPastedServers,
  type OfferedServers,
  offerPastedServers,
} from "./add-pasted.ts";
export { findUsedServer } from "./filled-servers.ts";
export { readServerOffer, type ServerOffer } from "./server-offer.ts";
export {
  type FoundSecret,
  findSecrets,
  hasBareSecret,
  type MovedSecrets,
  moveSecrets,
} from "./server-secrets.ts";
export { describeServers, type ServerState } from "./server-states.ts";
export { shownServer, withoutUserInfo } from "./shown-server.ts";
export {
  acceptTool,
  diffDefinitions,
  listWaitingTools,
  refuseTool,
  type WaitingTool,
} from "./waiting-tools.ts";
