import { isRecord } from "../../base/index.ts";
import type { JsonSchema, OpenAITool } from "../../kernel/index.ts";

/** What stands around the functions of one request. */
export const openAIFrame = "# Tools\n\n## functions\n\nnamespace functions {\n\n} // namespace functions";

/**
 * A function as OpenAI's models read it: not the JSON that is sent but a type, in the form that OpenAI published with
 * its open models (harmony). It begins with its description, as a comment.
 */
export function openAIForm({ function: { name, description, parameters } }: OpenAITool): string {
  const takesNone = Object.keys(readProperties(parameters)).length === 0;
  const type = takesNone ? "() => any" : `(_: ${formatType(parameters, "")}) => any`;
  return `${formatComment(description, "")}type ${name} = ${type};\n`;
}

function formatComment(text: unknown, indent: string): string {
  if (typeof text !== "string" || text === "") return "";
  return text
    .split("\n")
    .map((line) => `${indent}// ${line}\n`)
    .join("");
}

function formatType(schema: unknown, indent: string): string {
  if (!isRecord(schema)) return "any";
  const variants = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(variants))
    return formatUnion(variants.map((variant) => formatType(variant, `${indent}   `)));
  const { enum: values, type } = schema;
  if (Array.isArray(values)) return formatUnion(values.map((value) => JSON.stringify(value)));
  if (Array.isArray(type))
    return formatUnion(type.map((one) => formatType({ ...schema, type: one }, indent)));
  switch (type) {
    case "object":
      return objectType(schema, indent);
    case "array":
      return schema["items"] === undefined ? "Array<any>" : `${formatType(schema["items"], indent)}[]`;
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    default:
      return "any";
  }
}

function formatUnion(types: readonly string[]): string {
  return types.join(" | ");
}

function objectType(schema: JsonSchema, indent: string): string {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const lines = Object.entries(readProperties(schema)).map(([name, property]) => {
    const { description, default: fallback } = isRecord(property) ? property : {};
    const mark = required.has(name) ? "" : "?";
    const note = fallback === undefined ? "" : ` // default: ${JSON.stringify(fallback)}`;
    return `${formatComment(description, indent)}${indent}${name}${mark}: ${formatType(property, `${indent}    `)},${note}\n`;
  });
  return `{\n${formatComment(schema["description"], indent)}${lines.join("")}${indent}}`;
}

function readProperties(schema: JsonSchema): Readonly<Record<string, unknown>> {
  const { properties } = schema;
  return isRecord(properties) ? properties : {};
}
