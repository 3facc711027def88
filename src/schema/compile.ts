import { getErrorMessage, isRecord } from "../base/index.ts";
import type { SchemaCompiler, Validation } from "../kernel/index.ts";
import { findDialect } from "./dialect.ts";
import { compileEngine, type Engine, judgeSchema, ReferenceBudgetError } from "./engine.ts";
import { SchemaError } from "./errors.ts";
import { toIssues } from "./issues.ts";
import { surveySchema } from "./survey.ts";

/**
 * Compiles a raw JSON Schema (2020-12, or the dialect its `$schema` names) into a check, by Ajv, which is loaded at
 * the first call. Patterns run in linear time, references stay within the schema, and a value whose check would
 * not end is refused. Defaults are filled into a copy, the caller's value is never changed; where they would
 * themselves be at fault, none is filled in.
 *
 * @throws {SchemaError} where the schema cannot be used; its code says why.
 *
 * @example
 * ```ts
 * const validate = compileJsonSchema({
 *   type: "object",
 *   properties: { n: { type: "integer" } },
 *   required: ["n"],
 * });
 * (await validate({ n: 1 })).valid; // → true
 * (await validate({})).valid; // → false
 * ```
 */
export const compileJsonSchema: SchemaCompiler = (schema) => {
  const { hasDefaults, usesMetaSchema, isLarge } = surveySchema(schema);
  const dialect = findDialect(schema);
  judgeSchema(schema, dialect);
  const check = compileEngine(schema, {
    dialect,
    usesMetaSchema,
    useDefaults: hasDefaults,
    allErrors: isLarge,
  });
  refuseEndless(check);
  let findFaults: Engine | undefined;
  return (value) => {
    try {
      const checked = hasDefaults ? copyJson(value) : value;
      const first = check(checked);
      if (first === undefined) return { valid: true, value: checked };
      if (isLargeValue(value)) return { valid: false, issues: toIssues(first, value, schema) };
      // Most values never fail: this one is compiled when one does.
      findFaults ??= compileEngine(schema, { dialect, usesMetaSchema, useDefaults: false, allErrors: true });
      const faults = findFaults(value);
      return faults === undefined
        ? { valid: true, value }
        : { valid: false, issues: toIssues(faults, value, schema) };
    } catch (error) {
      return toUncheckable(error);
    }
  };
};

/** A schema that refers to itself without going into the value never ends, whatever the value. */
function refuseEndless(check: Engine): void {
  try {
    check({});
  } catch (cause) {
    throw new SchemaError(
      "SCHEMA_REFERENCE",
      "Cannot compile the schema: its references run in a circle; let one lead into the value",
      {
        cause,
      },
    );
  }
}

/** JSON by value; anything else in it (a Date, a class) by reference. */
function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isRecord(value) || !isPlain(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) {
    const part = copy[key];
    if (typeof part === "object" && part !== null) copy[key] = copyJson(part);
  }
  return copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

// Past this, a value could have more faults than anybody reads, and finding them all takes memory for each.
const maxPartsForAllFaults = 2_000;

function isLargeValue(value: unknown): boolean {
  let parts = 0;
  const pending = [value];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== "object" || part === null) continue;
    const inner: unknown[] = Object.values(part);
    parts += inner.length;
    if (parts > maxPartsForAllFaults) return true;
    pending.push(...inner);
  }
  return false;
}

function toUncheckable(error: unknown): Validation {
  const isOver = error instanceof ReferenceBudgetError;
  if (!isOver && !(error instanceof RangeError)) throw error;
  const reason = isOver ? getErrorMessage(error) : "it is nested too deeply";
  return { valid: false, issues: [{ path: [], message: `cannot be checked: ${reason}` }] };
}
