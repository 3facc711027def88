export { AgentQueries } from "./agent-queries.ts";
export { Operator, type OperatorOptions } from "./operator.ts";
export {
  type OperatorAnswer,
  type OperatorCode,
  operatorCodes,
  type StreamLine,
} from "./operator-messages.ts";
export { serveOperator } from "./operator-socket.ts";
