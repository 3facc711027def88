export {
  Operator,
  type OperatorAnswer,
  type OperatorOptions,
  operatorCodes,
  serveOperator,
} from "./operator/index.ts";
export type { OwnerEndpoint } from "./owner/owner-endpoint.ts";
export type { OpenedProject } from "./project-endpoints.ts";
export { mcpPath, type StartedServing, startServing } from "./start-serving.ts";
