import {
  canonicalJson,
  fitsShape,
  isRecord,
  type JsonSchema,
  listTypes,
  readList,
  readRecord,
} from "../base/index.ts";
import type { Schema } from "./expand.ts";
import { listConstants } from "./implied-types.ts";
import { withoutRemarks } from "./keywords.ts";
import { hasProperties, mergeAllOf, mergeSchemas } from "./merge.ts";
import { describeEnum, shorten } from "./words.ts";

/** A schema without its union, and what the union chooses among. `null` among them is a flag, not a choice. */
export interface Split {
  readonly rest: JsonSchema;
  readonly branches: readonly JsonSchema[];
  readonly keyword: "anyOf" | "oneOf";
  readonly isNullable: boolean;
}

/** Takes the union out of a schema; the single branch of one that has no other is merged in. */
export function splitUnion(schema: JsonSchema): Split {
  const keyword = Array.isArray(schema["anyOf"]) ? "anyOf" : "oneOf";
  const { [keyword]: union, ...rest } = schema;
  if (!Array.isArray(union)) return { rest: schema, branches: [], keyword, isNullable: false };
  const all = (union as Schema[])
    .filter((branch) => branch !== false)
    .map((branch) => (branch === true ? {} : branch));
  const branches = all.filter((branch) => !isNull(branch)).map(mergeAllOf);
  const isNullable = branches.length < all.length;
  if (branches.length !== 1) {
    if (branches.length === 0 && isNullable)
      return { rest: { ...rest, type: "null" }, branches, keyword, isNullable };
    return { rest, branches, keyword, isNullable };
  }
  const inner = splitUnion(mergeSchemas(rest, branches[0] as JsonSchema));
  return { ...inner, isNullable: isNullable || inner.isNullable };
}

function isNull(schema: JsonSchema): boolean {
  const types = listTypes(schema);
  if (types !== undefined) return types.every((type) => type === "null") && types.length > 0;
  return schema["const"] === null && "const" in schema;
}

/** The union only adds to an object that has keys of its own. */
export function refinesObject({ rest, branches }: Split): boolean {
  return branches.length > 0 && (hasProperties(rest) || readList(rest, "required").length > 0);
}

// Past this, a model is told that there are more.
const maxAlternatives = 32;
const maxDescribed = 6;
const maxKeys = 20;

/** The objects that a schema allows, each whole: one, or as many as its unions make. What is no object is left out. */
export function objectAlternatives(schema: JsonSchema): readonly JsonSchema[] {
  const found: JsonSchema[] = [];
  const pending = [schema];
  for (
    let next = pending.shift();
    next !== undefined && found.length < maxAlternatives;
    next = pending.shift()
  ) {
    const { rest, branches } = splitUnion(mergeAllOf(next));
    const plain = withoutRemarks(rest);
    if (!canBeObject(rest)) continue;
    if (branches.length === 0) found.push(rest);
    else pending.push(...branches.map((branch) => mergeSchemas(plain, branch)));
  }
  return found;
}

function canBeObject(schema: JsonSchema): boolean {
  return listTypes(schema)?.includes("object") ?? true;
}

/** One object with the keys of all alternatives; required is what each of them requires. */
export function uniteObjects(base: JsonSchema, alternatives: readonly JsonSchema[]): JsonSchema {
  const keys = new Set([base, ...alternatives].flatMap((one) => Object.keys(readRecord(one, "properties"))));
  const properties = Array.from(keys, (key): [string, unknown] => [
    key,
    uniteValues(alternatives.flatMap((one) => ownProperty(one, key))),
  ]);
  const isClosed = alternatives.every((one) => one["additionalProperties"] === false);
  const { additionalProperties, ...rest } = base;
  const open = isClosed ? false : additionalProperties === false ? undefined : additionalProperties;
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(properties),
    required: [...keys].filter((key) => alternatives.every((one) => readList(one, "required").includes(key))),
    ...(open !== undefined && { additionalProperties: open }),
  };
}

function ownProperty(schema: JsonSchema, key: string): unknown[] {
  const properties = readRecord(schema, "properties");
  return Object.hasOwn(properties, key) ? [properties[key]] : [];
}

function uniteValues(schemas: readonly unknown[]): unknown {
  const distinct = [...new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values()];
  if (distinct.length === 1) return distinct[0];
  const constants = distinct.map((schema) => (isRecord(schema) ? listConstants(schema) : undefined));
  if (constants.some((values) => values === undefined)) return { anyOf: distinct };
  const first = distinct.find(isRecord) ?? {};
  const { const: _, enum: __, ...rest } = first;
  return { ...rest, enum: [...new Set(constants.flat())] };
}

/** What tells the alternatives apart, since the united object cannot. */
export function describeAlternatives(base: JsonSchema, alternatives: readonly JsonSchema[]): string {
  const words = alternatives.slice(0, maxDescribed).map((one) => `{${describeAlternative(base, one)}}`);
  const more = alternatives.length - words.length;
  return shorten(`give one of: ${words.join(" or ")}${more > 0 ? ` or ${more} more forms` : ""}`, 1_000);
}

/** The keys that it requires or adds, with a question mark where they may be left out. */
function describeAlternative(base: JsonSchema, alternative: JsonSchema): string {
  const shared = readRecord(base, "properties");
  const own = readRecord(alternative, "properties");
  const required = readList(alternative, "required");
  const isNews = (key: string) =>
    !Object.hasOwn(shared, key) || (required.includes(key) && !readList(base, "required").includes(key));
  const told = [...new Set([...(required as string[]), ...Object.keys(own)])].flatMap((key) => {
    const part = Object.hasOwn(own, key) && own[key] !== shared[key] ? own[key] : undefined;
    const constants = isRecord(part) ? listConstants(part) : undefined;
    if (constants !== undefined) return [`"${key}": ${describeEnum(constants)}`];
    return isNews(key) ? [`"${key}"${required.includes(key) ? "" : "?"}`] : [];
  });
  return told.length === 0 ? "nothing more" : told.slice(0, maxKeys).join(", ");
}

/**
 * Takes out of `value` the nulls that stand for keys left out, by the first alternative that then fits.
 */
export function dropNulls(
  value: Readonly<Record<string, unknown>>,
  alternatives: readonly JsonSchema[],
): Record<string, unknown> {
  const candidates = alternatives.map((alternative) => {
    const entries = Object.entries(value).filter(
      ([key, part]) => part !== null || keepsNull(alternative, key),
    );
    return { alternative, candidate: Object.fromEntries(entries) };
  });
  const fitting = candidates.find(({ alternative, candidate }) => fitsShape(candidate, alternative, {}));
  return (fitting ?? candidates[0])?.candidate ?? { ...value };
}

function keepsNull(schema: JsonSchema, key: string): boolean {
  const properties = readRecord(schema, "properties");
  if (!Object.hasOwn(properties, key)) return false;
  return readList(schema, "required").includes(key) || fitsShape(null, properties[key], {});
}
