export { openDoors } from "./http-routes.ts";
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
export { type OwnerEndpoint, ownerPath } from "./owner/owner-endpoint.ts";
export { type OpenedProject, ProjectEndpoints } from "./project-endpoints.ts";
