import { isRecord } from "../../base/index.ts";
import type { ToolResult } from "./result.ts";

/** The exit code of the command that a call ran; undefined where none ran to its end. */
export function findExitCode(result: ToolResult): number | undefined {
  const data = result.success ? result.result : undefined;
  const code = isRecord(data) ? data["exit_code"] : !result.success && result.details?.["exitCode"];
  return typeof code === "number" ? code : undefined;
}
