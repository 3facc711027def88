import { fitsShape, isRecord, type JsonSchema, readList, readRecord } from "../base/index.ts";
import { describeAlternatives, dropNulls, objectAlternatives, uniteObjects } from "./alternatives.ts";
import type { Schema } from "./expand.ts";
import { listConstants } from "./implied-types.ts";
import { freeName, renameKeys } from "./key-names.ts";
import { hasProperties } from "./merge.ts";
import { type KeyRestore, type Restore, restoreObject } from "./restore.ts";
import type { Rewriter, Rewritten } from "./rewriter.ts";
import { describeEnum } from "./words.ts";

/** An object, with the words that a root has no place for. */
export interface RewrittenObject extends Rewritten {
  readonly words?: string | undefined;
}

/** The parameters themselves: they stay an object, whatever they hold. */
export function rewriteRoot(rewriter: Rewriter, schema: JsonSchema): RewrittenObject {
  const united = unite(schema);
  const { description, title: _, ...plain } = united.object;
  const parts = rewriteKeys(rewriter, united, { depth: 0, isRoot: true });
  const words = rewriter.describe(plain, {
    types: ["object"],
    extra: united.words,
    keepsNothing: true,
  }).description;
  return {
    schema: { type: "object", ...(typeof description === "string" && { description }), ...parts.form },
    restore: parts.restore,
    words,
  };
}

export function rewriteObject(rewriter: Rewriter, schema: JsonSchema, depth: number): Rewritten {
  const united = unite(schema);
  const { object, words } = united;
  if (travelsAsText(rewriter, object, depth)) return rewriter.open(object);
  const parts = rewriteKeys(rewriter, united, { depth, isRoot: false });
  return {
    schema: {
      type: "object",
      ...rewriter.describe(object, { types: ["object"], extra: words }),
      ...parts.form,
      ...rewriter.keep(object, ["object"]),
    },
    restore: parts.restore,
  };
}

interface United {
  readonly object: JsonSchema;
  /** Empty where there was no union. */
  readonly alternatives: readonly JsonSchema[];
  readonly words: readonly string[];
}

function unite(schema: JsonSchema): United {
  const alternatives = objectAlternatives(schema);
  const { anyOf: _, oneOf: __, ...base } = schema;
  const constants = listConstants(schema);
  const words = constants === undefined ? [] : [describeEnum(constants)];
  if (alternatives.length < 2) {
    return { object: { ...(alternatives[0] ?? base), type: "object" }, alternatives: [], words };
  }
  return {
    object: uniteObjects(base, alternatives),
    alternatives,
    words: [...words, describeAlternatives(base, alternatives)],
  };
}

/** Keys nobody listed, or too deep: some APIs take no such object. */
function travelsAsText({ dialect }: Rewriter, object: JsonSchema, depth: number): boolean {
  if (dialect.takesOpenValues) return false;
  const isEmpty = !hasProperties(object) && readList(object, "required").length === 0;
  const isClosed = object["additionalProperties"] === false;
  return depth >= dialect.maxDepth || (isEmpty && !(isClosed && dialect.isStrict));
}

interface Place {
  readonly depth: number;
  readonly isRoot: boolean;
}

interface RewrittenKeys {
  readonly form: JsonSchema;
  readonly restore: Restore | undefined;
}

function rewriteKeys(rewriter: Rewriter, united: United, place: Place): RewrittenKeys {
  const { object, alternatives } = united;
  const { isStrict, key: allowed } = rewriter.dialect;
  const declared = readRecord(object, "properties");
  const required = new Set(readList(object, "required") as string[]);
  const listed = Object.keys(declared).filter((key) => declared[key] !== false);
  const names = renameKeys([...new Set([...listed, ...required])], allowed);
  const properties = new Map<string, JsonSchema>();
  const keys = new Map<string, KeyRestore>();
  for (const [key, name] of names) {
    const original = (Object.hasOwn(declared, key) ? declared[key] : {}) as Schema;
    let part = rewriter.rewrite(original, place.depth + 1);
    const isOptional = isStrict && !required.has(key);
    if (isOptional) part = rewriter.withNull(part);
    const isAbsence =
      part.isJsonText === true || (alternatives.length === 0 && !fitsShape(null, original, {}));
    keys.set(name, { name: key, restore: part.restore, dropsNull: isOptional && isAbsence });
    properties.set(
      name,
      name === key ? part.schema : rewriter.withRemarks(part.schema, { description: `Stands for "${key}"` }),
    );
  }
  const others = rewriteOthers(rewriter, object, place, new Set(names.values()));
  if (others.carrier !== undefined) properties.set(...others.carrier);
  const back = restoreObject({ keys, carrier: others.carrier?.[0], others: others.restore });
  const needed = isStrict
    ? [...properties.keys()]
    : [...names].flatMap(([key, name]) => (required.has(key) ? [name] : []));
  return {
    form: {
      ...((isStrict || place.isRoot || properties.size > 0) && {
        properties: Object.fromEntries(properties),
      }),
      ...((isStrict || needed.length > 0) && { required: needed }),
      ...(others.form !== undefined && { additionalProperties: others.form }),
    },
    restore: isStrict && alternatives.length > 0 ? restoreUnited(back, alternatives) : back,
  };
}

interface RewrittenOthers {
  readonly form?: Schema;
  readonly restore?: Restore | undefined;
  readonly carrier?: [string, JsonSchema];
}

/** The keys that are not listed: as they are, or in one that carries them as JSON text. */
function rewriteOthers(
  rewriter: Rewriter,
  object: JsonSchema,
  place: Place,
  taken: ReadonlySet<string>,
): RewrittenOthers {
  const { additionalProperties: open, patternProperties } = object;
  const { takesOpenValues, isStrict } = rewriter.dialect;
  if (takesOpenValues) {
    if (!isRecord(open)) return open === undefined ? {} : { form: open as boolean };
    const { schema, restore } = rewriter.rewrite(open, place.depth + 1);
    return { form: schema, restore };
  }
  const form = isStrict ? { form: false } : {};
  const isFree = place.isRoot && open === true && taken.size === 0;
  if (!isFree && !isRecord(patternProperties) && !(isRecord(open) && Object.keys(open).length > 0))
    return form;
  const carried = rewriter.open({
    type: "object",
    description: "Further keys",
    ...(open !== undefined && open !== false && { additionalProperties: open }),
    ...(patternProperties !== undefined && { patternProperties }),
  });
  const { schema } = isStrict ? rewriter.withNull(carried) : carried;
  return { ...form, carrier: [freeName("additional_properties", taken), schema] };
}

function restoreUnited(back: Restore | undefined, alternatives: readonly JsonSchema[]): Restore {
  return (value) => {
    const restored = back === undefined ? value : back(value);
    return isRecord(restored) ? dropNulls(restored, alternatives) : restored;
  };
}
