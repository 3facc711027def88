export {
  type DispatchAnswer,
  type FaultAnswer,
  Operator,
  type OperatorAnswer,
  type OperatorCode,
  type OperatorOptions,
  operatorCodes,
  serveOperator,
  type ToolAnswer,
} from "./operator/index.ts";
export type { OwnerEndpoint } from "./owner/owner-endpoint.ts";
export type { OpenedProject } from "./project-endpoints.ts";
export { mcpPath, type ServingOptions, type StartedServing, startServing } from "./start-serving.ts";
