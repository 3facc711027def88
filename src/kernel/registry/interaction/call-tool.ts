import { isRecord, parseJson } from "../../../base/index.ts";
import type { NamedCall } from "../../tool/tool.ts";

const known: ReadonlySet<string> = new Set(["name", "arguments", "toolset"]);

/**
 * The call that the arguments of `call_tool` stand for. Undefined where they are none, or say more than one: validation
 * tells what is wrong with them.
 */
export function unwrapCallTool(params: unknown): NamedCall | undefined {
  const given = typeof params === "string" ? parseJson(params) : params;
  if (!isRecord(given) || typeof given["name"] !== "string") return undefined;
  if (!Object.keys(given).every((key) => known.has(key))) return undefined;
  const { toolset } = given;
  if (toolset !== undefined && typeof toolset !== "string") return undefined;
  return { name: given["name"], params: given["arguments"] ?? {}, ...(toolset !== undefined && { toolset }) };
}
