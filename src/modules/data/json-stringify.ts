import { z } from "zod";
import { getErrorMessage } from "../../base/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { computing } from "./computing.ts";
import { DataError } from "./errors.ts";
import { isDeeperThan, maxJsonDepth } from "./json-depth.ts";

const parameters = z.strictObject({
  data: z.unknown().describe("Any JSON value"),
  pretty: z.boolean().optional().describe("Write several lines, indented by 2 spaces; false by default"),
});

export function jsonStringifyTool(): Tool {
  return defineTool({
    name: "json_stringify",
    title: "Write JSON",
    description: "Write a value as JSON text. Returns {text}.",
    category: "data",
    parameters,
    annotations: computing,
    execute: ({ data, pretty = false }) => ({ text: stringify(data, pretty ? 2 : undefined) }),
  });
}

function stringify(data: unknown, indent: number | undefined): string {
  if (isDeeperThan(data, maxJsonDepth)) {
    throw new DataError(
      "JSON_DEPTH",
      `Cannot write JSON: the data nests more than ${maxJsonDepth} levels deep, or contains itself; write its parts`,
    );
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(data, undefined, indent);
  } catch (cause) {
    throw new DataError("JSON_VALUE", `Cannot write JSON: ${getErrorMessage(cause)}; give a JSON value`, {
      cause,
    });
  }
  if (text === undefined)
    throw new DataError(
      "JSON_VALUE",
      `Cannot write JSON: a value of the kind ${typeof data} has no JSON form; give a JSON value`,
    );
  return text;
}
