// An MCP server of your tools, over HTTP and stdio.
export type { HttpRequest, HttpResponse } from "../http/port.ts";
export { type AppServerOptions, createAppServer } from "./app-server.ts";
export type { McpApprovals } from "./asking/approvals-port.ts";
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  FormField,
  FormSchema,
  FormValue,
  NumberField,
  TextField,
} from "./asking/elicitation.ts";
export type { ClientCapabilities, McpClient } from "./client.ts";
export type { CallBounds, McpServerOptions } from "./core.ts";
export { createHttpHandler, type HttpOptions, type McpHttpHandler } from "./http/http.ts";
export type { ChooseServer, ChosenServer, McpServer } from "./mcp-server.ts";
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
} from "./messages/peer.ts";
export { type LogLevel, logLevels, protocolVersions } from "./messages/protocol.ts";
export type { CompletionRequest } from "./offers/completion.ts";
export type {
  McpPrompts,
  PromptArgument,
  PromptInfo,
  PromptMessage,
  PromptResult,
} from "./offers/prompt-port.ts";
export type {
  McpRequestContext,
  McpResources,
  ResourceContents,
  ResourceInfo,
  ResourceTemplate,
} from "./offers/resource-port.ts";
export { createMcpServer } from "./server.ts";
export { type StdioConnection, type StdioOptions, type StdioStreams, serveStdio } from "./stdio.ts";
