import { isRecord, type JsonSchema } from "./json.ts";
import { resolveLocalRef } from "./local-ref.ts";

/** The names that `type` gives; undefined where it says nothing. */
export function listTypes(schema: JsonSchema): readonly string[] | undefined {
  const { type, nullable } = schema;
  if (typeof type === "string") return nullable === true ? [type, "null"] : [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === "string") : undefined;
}

/** JSON Schema's name for the type of a value; `integer` for a whole number. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

export function isOfType(value: unknown, types: readonly string[]): boolean {
  const name = typeName(value);
  return types.includes(name) || (name === "integer" && types.includes("number"));
}

/** The schema itself, or what its `$ref` names; undefined where that leads nowhere. */
export function followRef(schema: unknown, root: JsonSchema): JsonSchema | boolean | undefined {
  let found = schema;
  for (let hops = 0; hops < 16; hops++) {
    if (typeof found === "boolean") return found;
    if (!isRecord(found)) return undefined;
    const ref = found["$ref"];
    if (typeof ref !== "string") return found;
    found = resolveLocalRef(root, ref);
  }
  return undefined;
}

export function readList(schema: JsonSchema, keyword: string): readonly unknown[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list : [];
}

export function readRecord(schema: JsonSchema, keyword: string): Readonly<Record<string, unknown>> {
  const record = schema[keyword];
  return isRecord(record) ? record : {};
}

// Enough to tell two branches apart; what is left unchecked counts as fitting.
const maxSteps = 2_000;

/**
 * Whether a value has the shape that a schema describes: types, constants, keys, items, alternatives. What only
 * narrows a value (length, range, pattern, format) is not looked at.
 */
export function fitsShape(value: unknown, schema: unknown, root: JsonSchema): boolean {
  return new ShapeCheck(root).fits(value, schema);
}

class ShapeCheck {
  readonly #root: JsonSchema;
  #steps = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  fits(value: unknown, schema: unknown): boolean {
    if (++this.#steps > maxSteps) return true;
    const followed = followRef(schema, this.#root);
    if (typeof followed === "boolean") return followed;
    if (followed === undefined) return true;
    const types = listTypes(followed);
    if (types !== undefined && !isOfType(value, types)) return false;
    if ("const" in followed && !isSameJson(value, followed["const"])) return false;
    if (Array.isArray(followed["enum"]) && !followed["enum"].some((one) => isSameJson(value, one)))
      return false;
    if (Array.isArray(value) && !this.#itemsFit(value, followed)) return false;
    if (isRecord(value) && !this.#keysFit(value, followed)) return false;
    const any = [...readList(followed, "anyOf"), ...readList(followed, "oneOf")];
    return (
      readList(followed, "allOf").every((branch) => this.fits(value, branch)) &&
      (any.length === 0 || any.some((branch) => this.fits(value, branch)))
    );
  }

  #itemsFit(items: readonly unknown[], schema: JsonSchema): boolean {
    const first = readList(schema, "prefixItems");
    return items.every((item, index) => {
      const wanted = index < first.length ? first[index] : schema["items"];
      return wanted === undefined || Array.isArray(wanted) || this.fits(item, wanted);
    });
  }

  #keysFit(value: Readonly<Record<string, unknown>>, schema: JsonSchema): boolean {
    const properties = readRecord(schema, "properties");
    const others = "patternProperties" in schema ? undefined : schema["additionalProperties"];
    return (
      readList(schema, "required").every((key) => Object.hasOwn(value, key as string)) &&
      Object.entries(value).every(([key, part]) => {
        const wanted = Object.hasOwn(properties, key) ? properties[key] : others;
        return wanted === undefined || this.fits(part, wanted);
      })
    );
  }
}

/** Equality of JSON values. Goes no deeper than the shallower of the two. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((part, index) => isSameJson(part, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
  );
}

/** What stands at `path` within a value; undefined where nothing does. */
export function readAt(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string | number, unknown>)[key];
  }
  return found;
}
