import { isRecord } from "../../../base/index.ts";

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const primitive: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
const mark = "x-mcp-header";
const maxDepth = 40;

/**
 * What is wrong with the headers that a tool's schema asks for, as 2026-07-28 has it; undefined for nothing. A client
 * must not call such a tool over HTTP.
 */
export function findHeaderFault(schema: Readonly<Record<string, unknown>>): string | undefined {
  return faultIn(schema, { isReachable: true, isRoot: true }, new Set(), 0);
}

function faultIn(
  schema: unknown,
  place: { readonly isReachable: boolean; readonly isRoot: boolean },
  taken: Set<string>,
  depth: number,
): string | undefined {
  if (typeof schema !== "object" || schema === null || depth > maxDepth) return undefined;
  if (isRecord(schema) && Object.hasOwn(schema, mark)) {
    const fault =
      !place.isReachable || place.isRoot ? "it stands where no argument is" : findMarkFault(schema, taken);
    if (fault !== undefined) return `${mark}: ${fault}`;
  }
  for (const [key, part] of Object.entries(schema)) {
    const isNamed = key === "properties" && place.isReachable && isRecord(part);
    const inner = isNamed ? Object.values(part) : [part];
    if (key === mark || ["const", "enum", "default", "examples"].includes(key)) continue;
    for (const one of inner) {
      const fault = faultIn(one, { isReachable: isNamed, isRoot: false }, taken, depth + 1);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function findMarkFault(schema: Readonly<Record<string, unknown>>, taken: Set<string>): string | undefined {
  const header = schema[mark];
  if (typeof header !== "string" || !token.test(header)) return "it is no name of a header";
  if (!primitive.has(schema["type"])) return "only a text, a whole number or a yes or no can be in a header";
  const name = header.toLowerCase();
  if (taken.has(name)) return `"${header}" is named twice`;
  taken.add(name);
  return undefined;
}
