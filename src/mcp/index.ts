export { type McpServerConfig, type McpServerType, mcpServerTypes } from "./client/config.ts";
export { healthWithout, McpConnections, type McpConnectionsOptions } from "./client/connections.ts";
export type { GrantType, McpServerAuth } from "./client/oauth/auth-config.ts";
export type { AuthorizationPlace, DeviceCode, LoginPerson } from "./client/oauth/grant.ts";
export { formatLogin, type Login, type LoginStore, parseLogin } from "./client/oauth/login.ts";
export {
  type LogInChoice,
  type LoginInfo,
  ServerLogins,
  type ServerLoginsOptions,
} from "./client/oauth/server-logins.ts";
export type {
  AnsweringPeer,
  Asker,
  AuthProviders,
  Definitions,
  KnownTools,
  McpClientServices,
  ReviewedTools,
  ServerAnswer,
  ServerAuth,
  ServerQuestion,
  ServerWays,
  WaysMemory,
} from "./client/ports.ts";
export { type ReadServers, readServers, type ServerProblem } from "./client/read-servers.ts";
export type { ServerHealth, ServerReport } from "./client/server-connection.ts";
export { readDefinitionText, type ServerTool, toDefinitionText } from "./client/tools/server-tool.ts";
export { chooseOffer } from "./client/tools/wrap-tools.ts";
export { McpError, type McpErrorCode, mcpErrorCodes } from "./errors.ts";
export { toAlias } from "./names.ts";
