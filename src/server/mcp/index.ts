export type { McpApprovals } from "./approvals-port.ts";
export type { ClientCapabilities, McpClient } from "./client.ts";
export type { CompletionRequest } from "./completion.ts";
export type { CallBounds, McpServerOptions } from "./core.ts";
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  FormField,
  FormSchema,
  FormValue,
  NumberField,
  TextField,
} from "./elicitation.ts";
export { createHttpHandler, type HttpOptions, type McpHttpHandler } from "./http.ts";
export type { HttpRequest, HttpResponse } from "./http-port.ts";
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
} from "./peer.ts";
export type { McpPrompts, PromptArgument, PromptInfo, PromptMessage, PromptResult } from "./prompt-port.ts";
export { type LogLevel, logLevels, protocolVersions } from "./protocol.ts";
export type {
  McpRequestContext,
  McpResources,
  ResourceContents,
  ResourceInfo,
  ResourceTemplate,
} from "./resource-port.ts";
export { createMcpServer, type McpServer } from "./server.ts";
export type { ChooseServer, ChosenServer } from "./session-project.ts";
export { type StdioConnection, type StdioOptions, type StdioStreams, serveStdio } from "./stdio.ts";
