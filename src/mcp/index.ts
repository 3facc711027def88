export {
  describeTarget,
  type McpServerConfig,
  type McpServerType,
  mcpServerTypes,
} from "./client/config.ts";
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
export type { ServerHealth } from "./client/server-connection.ts";
export type { ServerTool } from "./client/server-tool.ts";
export { McpError, type McpErrorCode, mcpErrorCodes } from "./errors.ts";
export { toAlias } from "./names.ts";
export type { McpApprovals } from "./server/approvals-port.ts";
export type { ClientCapabilities, McpClient } from "./server/client.ts";
export type { CompletionRequest } from "./server/completion.ts";
export type { CallBounds, McpServerOptions } from "./server/core.ts";
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  FormField,
  FormSchema,
  FormValue,
  NumberField,
  TextField,
} from "./server/elicitation.ts";
export { createHttpHandler, type HttpOptions, type McpHttpHandler } from "./server/http.ts";
export type { HttpRequest, HttpResponse } from "./server/http-port.ts";
export {
  type AskOptions,
  type FormAnswer,
  type FormRequest,
  type McpPeer,
  mcpPeer,
  type Root,
  type SampleAnswer,
  type SampleRequest,
  type UrlAnswer,
  type UrlRequest,
} from "./server/peer.ts";
export type {
  McpPrompts,
  PromptArgument,
  PromptInfo,
  PromptMessage,
  PromptResult,
} from "./server/prompt-port.ts";
export { type LogLevel, logLevels, protocolVersions } from "./server/protocol.ts";
export type {
  McpRequestContext,
  McpResources,
  ResourceContents,
  ResourceInfo,
  ResourceTemplate,
} from "./server/resource-port.ts";
export { createMcpServer, type McpServer } from "./server/server.ts";
export type { ChooseServer, ChosenServer } from "./server/session-project.ts";
export { type StdioConnection, type StdioOptions, type StdioStreams, serveStdio } from "./server/stdio.ts";
