import { isRecord } from "../../base/index.ts";
import type { GeminiTool } from "../../kernel/index.ts";

/** The texts of a declaration that count, by the rules of the local tokenizer in Google's own library: words, and no JSON around them. */
export function geminiTexts({ name, description, parameters }: GeminiTool): string[] {
  return [name, description, ...listTexts(parameters)];
}

function listTexts(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const { format, description, enum: values, required, items, properties, anyOf } = schema;
  return [
    ...[format, description].filter((text) => typeof text === "string"),
    ...[values, required].flatMap((list) => (Array.isArray(list) ? list.map(String) : [])),
    ...listTexts(items),
    ...(isRecord(properties)
      ? Object.entries(properties).flatMap(([key, property]) => [key, ...listTexts(property)])
      : []),
    ...(Array.isArray(anyOf) ? anyOf.flatMap(listTexts) : []),
  ];
}
