import {
  canonicalJson,
  cutHead,
  getErrorMessage,
  isRecord,
  maxSchemaDepth,
  nestsDeeperThan,
  oneLine,
  showInvisible,
} from "../../base/index.ts";
import type { JsonSchema, ToolAnnotations, Validate } from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { makeVersion } from "../../sources/index.ts";
import { notUnderstood } from "./messages.ts";

/** A tool as a host program announced it, and found to be in order. */
export interface HostTool {
  /** The host program knows it by this. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly timeoutMs: number | undefined;
  /** It waits for a person, whose time is not the tool's. */
  readonly waitsForPerson: boolean;
  /** The version of the definition. */
  readonly version: string;
  readonly validate: Validate;
}

export interface Announcement {
  /** The host's name, for people. */
  readonly host: string;
  readonly tools: readonly HostTool[];
  readonly refused: readonly { readonly name: string; readonly refused: string }[];
}

const mostTools = 64;
const mostDescriptionChars = 2_000;
const mostTitleChars = 100;
const mostSchemaChars = 32_768;
const timeouts = { least: 1_000, most: 3_600_000 } as const;

/**
 * Checks an announcement: a tool that is not in order is left out, with the reason, and harms no other.
 *
 * @throws {BridgeError} BRIDGE_PROTOCOL where it is no list of tools, or one that is too long.
 */
export function readAnnouncement({
  host,
  tools,
}: {
  readonly host: unknown;
  readonly tools: unknown;
}): Announcement {
  if (!Array.isArray(tools)) throw notUnderstood("its tools must be a list");
  if (tools.length > mostTools) throw notUnderstood(`it has more than ${mostTools} tools`);
  const found = new Map<string, HostTool>();
  const refused: { name: string; refused: string }[] = [];
  for (const given of tools as readonly unknown[]) {
    const name = isRecord(given) ? given["name"] : undefined;
    const shown = typeof name === "string" ? showInvisible(cutHead(name, 64)) : "";
    const tool = readTool(given);
    if (typeof tool === "string") refused.push({ name: shown, refused: tool });
    else if (found.has(tool.name)) refused.push({ name: shown, refused: "it has the name of another" });
    else found.set(tool.name, tool);
  }
  const called = typeof host === "string" ? showInvisible(oneLine(cutHead(host, 60))) : "";
  return { host: called === "" ? "host" : called, tools: [...found.values()], refused };
}

/** The tool, or what is wrong with it. */
function readTool(given: unknown): HostTool | string {
  if (!isRecord(given)) return "it is no object";
  const { name, title, description, parameters = noParameters, waitsForPerson = false, timeoutMs } = given;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    return 'its name must be 1 to 64 letters, digits, "_" or "-"';
  if (name.includes("__")) return 'its name has "__", by which tools of servers are known';
  if (typeof description !== "string" || description.trim() === "") return "it has no description";
  if (description.length > mostDescriptionChars)
    return `its description is longer than ${mostDescriptionChars} characters`;
  if (title !== undefined && (typeof title !== "string" || title.length > mostTitleChars))
    return `its title must be a text of at most ${mostTitleChars} characters`;
  if (typeof waitsForPerson !== "boolean") return "its waitsForPerson must be true or false";
  if (timeoutMs !== undefined && !isTimeout(timeoutMs))
    return `its timeoutMs must be a whole number from ${timeouts.least} to ${timeouts.most}`;
  const annotations = readAnnotations(given["annotations"]);
  if (annotations === undefined) return `its annotations must be ${hints.join(", ")}, each true or false`;
  const schema = readSchema(parameters);
  if (typeof schema === "string") return schema;
  const definition = {
    title: title === undefined ? undefined : showInvisible(oneLine(title)),
    description: showInvisible(description.trim()),
    parameters: schema.parameters,
    annotations,
    waitsForPerson,
  };
  return {
    name,
    ...definition,
    timeoutMs,
    validate: schema.validate,
    version: makeVersion(canonicalJson(definition)),
  };
}

const noParameters = { type: "object", properties: {} };

function readSchema(
  given: unknown,
): { readonly parameters: JsonSchema; readonly validate: Validate } | string {
  if (!isRecord(given) || given["type"] !== "object")
    return 'its parameters must be a JSON Schema of type "object"';
  if (nestsDeeperThan(given, maxSchemaDepth))
    return `its parameters are nested more than ${maxSchemaDepth} levels deep`;
  if (JSON.stringify(given).length > mostSchemaChars)
    return `its parameters are longer than ${mostSchemaChars} characters`;
  try {
    const parameters = withVisibleTexts(given);
    const written = JSON.stringify(parameters);
    if (showInvisible(written) !== written) return "its parameters hide characters that nobody sees";
    return { parameters, validate: compileJsonSchema(parameters) };
  } catch (thrown) {
    return showInvisible(cutHead(getErrorMessage(thrown), 500));
  }
}

/** The texts that are for reading, with nothing hidden in them; all else as it is. */
function withVisibleTexts(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    (key === "description" || key === "title") && typeof value === "string" ? showInvisible(value) : value,
  ) as JsonSchema;
}

const hints = ["readOnly", "destructive", "idempotent", "openWorld"] as const;

function readAnnotations(given: unknown = {}): ToolAnnotations | undefined {
  if (!isRecord(given)) return undefined;
  const said = Object.entries(given);
  const isKnown = said.every(
    ([name, value]) => hints.some((hint) => hint === name) && typeof value === "boolean",
  );
  return isKnown ? Object.fromEntries(said) : undefined;
}

function isTimeout(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= timeouts.least && (value as number) <= timeouts.most;
}
