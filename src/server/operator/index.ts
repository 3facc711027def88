export { Operator, type OperatorOptions } from "./operator.ts";
export {
  type OperatorAnswer,
  type OperatorCode,
  operatorCodes,
} from "./operator-messages.ts";
export { serveOperator } from "./operator-socket.ts";
