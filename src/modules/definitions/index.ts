export type { Definitions, KeptDefinition, ToolDefinitionText } from "./store/definitions.ts";
export { SqlDefinitions } from "./store/sql-definitions.ts";
