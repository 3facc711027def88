export {
  AgentQueries,
  Operator,
  type OperatorAnswer,
  type OperatorOptions,
  operatorCodes,
  type StreamLine,
  serveOperator,
} from "./operator/index.ts";
export type { OwnerEndpoint } from "./owner/owner-endpoint.ts";
export type { OpenedProject } from "./project-endpoints.ts";
export { mcpPath, type StartedServing, startServing } from "./start-serving.ts";
