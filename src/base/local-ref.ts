import { isRecord, type JsonSchema } from "./json.ts";

/**
 * What a `$ref` or `$dynamicRef` names within the schema it stands in: a JSON pointer, an anchor, or the `$id` of a
 * part. Undefined where it leads nowhere or out of the schema; nothing is ever fetched.
 */
export function resolveLocalRef(root: JsonSchema, ref: string): JsonSchema | boolean | undefined {
  const [id = "", fragment = ""] = ref.split("#", 2);
  const resource = id === "" || id === root["$id"] ? root : findPart(root, (part) => part["$id"] === id);
  if (resource === undefined) return undefined;
  const found =
    fragment === "" || fragment.startsWith("/")
      ? followPointer(resource, fragment)
      : findAnchor(resource, fragment);
  return isRecord(found) || typeof found === "boolean" ? found : undefined;
}

function followPointer(from: JsonSchema, pointer: string): unknown {
  let found: unknown = from;
  for (const token of pointer.split("/").slice(1)) {
    const key = decode(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function findAnchor(resource: JsonSchema, name: string): JsonSchema | undefined {
  return findPart(resource, (part) => part["$anchor"] === name || part["$dynamicAnchor"] === name);
}

const maxSearched = 20_000;

function findPart(root: JsonSchema, isWanted: (part: JsonSchema) => boolean): JsonSchema | undefined {
  const pending: unknown[] = [root];
  for (let searched = 0; pending.length > 0 && searched < maxSearched; searched++) {
    const part = pending.shift();
    if (isRecord(part) && isWanted(part)) return part;
    if (typeof part === "object" && part !== null) pending.push(...Object.values(part));
  }
  return undefined;
}
