/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with the keys of every object in order: two values that mean the same give the same text. `undefined` is null. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value ?? null, ""));
}

/** Copies `value` with sorted keys: a third of what JSON.stringify with a replacer costs. */
function sortKeys(value: unknown, key: string): unknown {
  const plain =
    isObject(value) && "toJSON" in value && typeof value.toJSON === "function"
      ? (value.toJSON(key) as unknown)
      : value;
  if (Array.isArray(plain)) return plain.map((part, at) => sortKeys(part, String(at)));
  if (!isRecord(plain)) return plain;
  const keys = Object.keys(plain).sort();
  // An assignment to "__proto__" adds no key to an object that has a prototype.
  const sorted: Record<string, unknown> = keys.includes("__proto__") ? Object.create(null) : {};
  for (const name of keys) if (typeof plain[name] !== "function") sorted[name] = sortKeys(plain[name], name);
  return sorted;
}

/** Levels that the JSON Schema of a tool may be nested: a deeper one is never converted, compiled or shown. */
export const maxSchemaDepth = 128;

/**
 * Whether objects and arrays are nested more than `levels` deep in `value`. It walks level by level, without recursion,
 * so that it can be asked of any value before code that recurses into it runs.
 */
export function nestsDeeperThan(value: unknown, levels: number): boolean {
  let level = [value].filter(isObject);
  const seen = new Set<object>(level); // An object that holds itself is no deeper for it.
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: object[] = [];
    for (const part of level) {
      for (const inner of Object.values(part) as unknown[]) {
        if (!isObject(inner) || seen.has(inner)) continue;
        seen.add(inner);
        next.push(inner);
      }
    }
    level = next;
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The parsed value, or undefined where `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same object without what is undefined in it. */
export function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>;
  };
}

/** A JSON Schema object (2020-12, or draft-07 where `$schema` says so). */
export type JsonSchema = { readonly [keyword: string]: unknown };
