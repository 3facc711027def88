import { isRecord } from "../../base/index.ts";
import { ToolError } from "../errors.ts";

/**
 * Interprets a returned object that itself reports success, as many tools written for other programs return:
 * `{success: false, error}` is a failed call, with its other fields as details, and a whole
 * `{success: true, result, startedAt}` is that result.
 *
 * @throws {ToolError} TOOL_FAILED with the tool's own words.
 */
export function readReturned(toolName: string, value: unknown): unknown {
  if (!isRecord(value) || typeof value["success"] !== "boolean") return value;
  if ("callId" in value) return value; // What a call of its own came to, as the gate said it.
  const { success, error, ...rest } = value;
  if (success) return isWholeResult(value) ? value["result"] : value;
  if (typeof error !== "string" || error === "") return value;
  throw new ToolError(toolName, "TOOL_FAILED", error, { details: rest });
}

const resultFields: ReadonlySet<string> = new Set([
  "success",
  "result",
  "error",
  "startedAt",
  "completedAt",
  "durationMs",
]);

/** Whether an object is only a result envelope, which the gate builds itself. */
function isWholeResult(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value["startedAt"] === "number" && Object.keys(value).every((key) => resultFields.has(key));
}
