import type { Tool } from "../../kernel/index.ts";
import { base64DecodeTool } from "./base64-decode.ts";
import { base64EncodeTool } from "./base64-encode.ts";
import { jsonParseTool } from "./json-parse.ts";
import { jsonStringifyTool } from "./json-stringify.ts";

/** `json_parse`, `json_stringify`, `base64_encode`, `base64_decode`. They only compute. */
export function dataTools(): Tool[] {
  return [jsonParseTool(), jsonStringifyTool(), base64EncodeTool(), base64DecodeTool()];
}
