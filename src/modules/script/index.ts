export { ScriptError, type ScriptErrorCode, scriptErrorCodes } from "./errors.ts";
export type { ScriptLimits } from "./limits.ts";
export { type ScriptServices, scriptTools } from "./script-tools.ts";
