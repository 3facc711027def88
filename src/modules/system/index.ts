export { SystemToolError, type SystemToolErrorCode, systemToolErrorCodes } from "./errors.ts";
export { type SystemServices, systemTools } from "./system-tools.ts";
