import type { JsonSchema } from "../../base/index.ts";
import type { ToolInfo } from "../tool/tool-info.ts";
import { firstSentence } from "./first-sentence.ts";
import { getPackName } from "./pack-of.ts";
import { formatSignature } from "./signature.ts";

/** A tool as a search answers with it: enough to choose it, and mostly enough to call it. */
export interface FoundForm {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly parameters: string;
}

/** Describes a tool in one line each: the first sentence of its description, its pack, and its parameters as code would have them. */
export function foundForm(tool: ToolInfo, schema: JsonSchema = {}): FoundForm {
  return {
    name: tool.name,
    description: firstSentence(tool.description),
    category: getPackName(tool),
    parameters: formatSignature(schema),
  };
}
