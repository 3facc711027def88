import { CodedError } from "../../base/index.ts";

/** Every code that a script fails with, and what a call within one can meet besides the codes of the tool called. */
export const scriptErrorCodes = [
  "SCRIPT_SYNTAX",
  "SCRIPT_FAILED",
  "SCRIPT_RESULT",
  "SCRIPT_COMPUTING",
  "SCRIPT_MEMORY",
  "SCRIPT_STUCK",
  "SCRIPT_CALLS",
  "SCRIPT_ARGUMENTS",
  "SCRIPT_VALUE",
  "SCRIPT_ENGINE",
  "SCRIPT_MANY",
] as const;
export type ScriptErrorCode = (typeof scriptErrorCodes)[number];

/** A script could not be run to its end. */
export class ScriptError extends CodedError<ScriptErrorCode> {
  override readonly name: string = "ScriptError";
}
