import { cutHead, isRecord } from "../../base/index.ts";
import {
  defineTool,
  type JsonSchema,
  type Tool,
  type ToolAnnotations,
  type ToolIcon,
} from "../../kernel/index.ts";

/** The part of a tool that its worker tells: data alone, each of the kind it must be. */
export type ToolDefinitionData = Pick<Tool, "name" | "description" | "category" | "annotations"> &
  Partial<
    Pick<
      Tool,
      "title" | "override" | "maxOutputChars" | "icons" | "secrets" | "secretParams" | "verify" | "mayRepeat"
    >
  > & {
    readonly parameters: JsonSchema;
    readonly output?: JsonSchema;
    readonly timeoutMs?: number;
  };

const mostChars = 256 * 1024;
const longestMs = 3_600_000;

/** @throws {TypeError} saying what is wrong; {ToolError} TOOL_INVALID as `defineTool` does. */
export function readDefinition(given: unknown): ToolDefinitionData {
  if (!isRecord(given)) throw new TypeError("it is no tool");
  const size = JSON.stringify(given).length;
  if (size > mostChars)
    throw new TypeError(`its definition has ${size} characters, and at most ${mostChars} are taken`);
  const { name, description, parameters, output, category, title, timeoutMs, maxOutputChars, verify } = given;
  if (typeof name !== "string" || typeof description !== "string")
    throw new TypeError("it has no name and description");
  if (!isRecord(parameters)) throw new TypeError(`the parameters of "${name}" are no schema`);
  const icons = readList(given["icons"], isIcon);
  const secrets = readList(given["secrets"], isText);
  const secretParams = readList(given["secretParams"], isText);
  const data: ToolDefinitionData = {
    name,
    description,
    parameters,
    category: typeof category === "string" && category !== "" ? cutHead(category, 64) : "custom",
    annotations: readAnnotations(given["annotations"]),
    ...(isRecord(output) && { output }),
    ...(typeof title === "string" && { title: cutHead(title, 200) }),
    ...(isPositive(timeoutMs) && { timeoutMs: Math.min(timeoutMs, longestMs) }),
    ...(isPositive(maxOutputChars) && { maxOutputChars: Math.ceil(maxOutputChars) }),
    ...(given["override"] === true && { override: true }),
    ...(icons !== undefined && { icons }),
    ...(secrets !== undefined && { secrets }),
    ...(secretParams !== undefined && { secretParams }),
    ...(typeof verify === "string" && verify !== "" && { verify: cutHead(verify, 300) }),
    ...(given["mayRepeat"] === true && { mayRepeat: true }),
  };
  defineTool({ ...data, execute() {} });
  return data;
}

function readAnnotations(given: unknown): ToolAnnotations {
  const said: Record<string, boolean> = {};
  for (const name of ["readOnly", "destructive", "idempotent", "openWorld"]) {
    const value = isRecord(given) ? given[name] : undefined;
    if (typeof value === "boolean") said[name] = value;
  }
  return said;
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function readList<Item>(value: unknown, isItem: (one: unknown) => one is Item): readonly Item[] | undefined {
  return Array.isArray(value) && value.every(isItem) ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isIcon(value: unknown): value is ToolIcon {
  return isRecord(value) && typeof value["src"] === "string";
}
