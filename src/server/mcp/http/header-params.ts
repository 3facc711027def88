import { isRecord } from "../../../base/index.ts";
import type { Params } from "../messages/message.ts";

/** An argument whose value a client repeats in the header `Mcp-Param-{header}`. */
export interface HeaderParam {
  /** Lower case. */
  readonly header: string;
  readonly path: readonly string[];
}

/** The properties that a schema marks with `x-mcp-header`, also nested ones. */
export function listHeaderParams(schema: Readonly<Record<string, unknown>>): HeaderParam[] {
  const found: HeaderParam[] = [];
  collect(schema, [], found);
  return found;
}

function collect(
  schema: Readonly<Record<string, unknown>>,
  path: readonly string[],
  found: HeaderParam[],
): void {
  const { properties } = schema;
  if (!isRecord(properties) || path.length > 20) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isRecord(property)) continue;
    const header = property["x-mcp-header"];
    if (typeof header === "string") found.push({ header: header.toLowerCase(), path: [...path, name] });
    collect(property, [...path, name], found);
  }
}

/** The argument at `path`, if it is one that a header must hold; undefined where there must be no header. */
export function readRepeatedValue(
  args: Params,
  path: readonly string[],
): string | number | boolean | undefined {
  let value: unknown = args;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

/**
 * The text that a header value stands for: `=?base64?…?=` is decoded, everything else is itself. Undefined for
 * characters that no such header may hold, and for base64 that is none.
 */
export function decodeHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (encoded === undefined) return /^[\t\x20-\x7e]*$/.test(value) ? value : undefined;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded ? bytes.toString("utf8") : undefined;
}
