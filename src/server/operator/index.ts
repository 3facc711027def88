export { Operator, type OperatorOptions } from "./operator.ts";
export {
  type DispatchAnswer,
  type FaultAnswer,
  type OperatorAnswer,
  type OperatorCode,
  operatorCodes,
  type ToolAnswer,
} from "./operator-messages.ts";
export { serveOperator } from "./operator-socket.ts";
