import { z } from "zod";
import { getErrorMessage } from "../../base/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { computing } from "./computing.ts";
import { DataError } from "./errors.ts";
import { maxJsonDepth } from "./json-depth.ts";
import { scanJson } from "./scan-json.ts";

const parameters = z.strictObject({ text: z.string().max(50_000_000).describe("The JSON text") });

/** `notes` is there only where the text holds more than the data can say. */
interface ParsedJson {
  readonly data: unknown;
  readonly notes?: readonly string[];
}

export function jsonParseTool(): Tool {
  return defineTool({
    name: "json_parse",
    title: "Parse JSON",
    description: "Parse a JSON text. Returns {data}; of two equal keys in one object the last counts.",
    category: "data",
    parameters,
    annotations: computing,
    execute: ({ text }) => parse(text),
  });
}

function parse(text: string): ParsedJson {
  const notes: string[] = [];
  const hasMark = text.startsWith("\ufeff");
  if (hasMark) notes.push("left out the byte order mark at the beginning");
  const { depth, inexactNumbers } = scanJson(text);
  if (depth > maxJsonDepth) {
    throw new DataError(
      "JSON_DEPTH",
      `Cannot parse JSON: it nests ${depth} levels deep, and at most ${maxJsonDepth} are taken; parse its parts`,
    );
  }
  const data = parseText(hasMark ? text.slice(1) : text);
  if (inexactNumbers.length > 0) {
    notes.push(
      `numbers that a 64-bit float can't hold exactly, for instance ${inexactNumbers.join(", ")}; have them written as strings`,
    );
  }
  return notes.length === 0 ? { data } : { data, notes };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DataError(
      "JSON_INVALID",
      `Cannot parse JSON: ${getErrorMessage(cause)}; correct the text there`,
      {
        cause,
      },
    );
  }
}
