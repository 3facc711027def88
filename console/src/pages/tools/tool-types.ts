import type { ToolList } from "../../../../src/server/console/api/index.ts";
import type { AnswerTo } from "../../net/api.ts";
import { toHref } from "../../shell/address.ts";

export type Target = ToolList["target"];
export type ListedTool = ToolList["tools"][number];
export type Decided = AnswerTo<"POST /tools/:name/dry-run">;
export type Result = AnswerTo<"POST /tools/:name/run">;

/** The model APIs by their names. */
export const targets: readonly { readonly value: Target; readonly label: string }[] = [
  { value: "openai", label: "OpenAI" },
  { value: "openai-strict", label: "OpenAI, strict" },
  { value: "anthropic", label: "Anthropic" },
  { value: "gemini", label: "Gemini" },
  { value: "mcp", label: "MCP" },
];

export function readTarget(query: URLSearchParams): Target {
  return targets.find(({ value }) => value === query.get("target"))?.value ?? "openai";
}

/** The address of a tool; `part` is a page of its own below it. */
export function toToolHref(name: string, part?: "try"): string {
  return toHref(`tools/${encodeURIComponent(name)}${part === undefined ? "" : `/${part}`}`);
}

/** What a tool says of itself, in words. */
export function listHints({
  readOnly,
  destructive,
  idempotent,
  openWorld,
}: ListedTool["annotations"]): string[] {
  return [
    ...(readOnly === true ? ["only reads"] : []),
    ...(readOnly !== true && destructive !== false ? ["may destroy"] : []),
    ...(idempotent === true ? ["repeatable"] : []),
    ...(openWorld === false ? ["stays on this machine"] : []),
  ];
}
