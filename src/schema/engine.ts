import { createRequire } from "node:module";
import type * as AjvModule from "ajv";
import type { ErrorObject, Options } from "ajv";
import type AjvCore from "ajv/dist/core.js";
import { canonicalJson, getErrorMessage } from "../base/index.ts";
import type { JsonSchema } from "../kernel/index.ts";
import type { Dialect } from "./dialect.ts";
import { SchemaError } from "./errors.ts";
import { compilePattern } from "./pattern.ts";

const require = createRequire(import.meta.url);

type Ajv = AjvCore.default;
type Rule = Exclude<Ajv["RULES"]["all"][string], boolean | undefined>;
type Definition = Rule["definition"];

// Loaded at the first compile: it costs some 30 ms.
const classes: Readonly<Record<Dialect, () => new (options: Options) => Ajv>> = {
  "2020-12": () => require("ajv/dist/2020.js").Ajv2020,
  "2019-09": () => require("ajv/dist/2019.js").Ajv2019,
  "draft-07": () => require("ajv/dist/ajv.js").Ajv,
};

// What an honest schema needs is a few per value; one whose references multiply stops here, within a second.
const maxReferenceSteps = 250_000;

/** Thrown by a check whose references led further than any may go. */
export class ReferenceBudgetError extends Error {
  constructor() {
    super(`it takes more than ${maxReferenceSteps} steps through the schema's references`);
  }
}

/** The faults of a value; undefined where it has none. */
export type Engine = (value: unknown) => readonly ErrorObject[] | undefined;

export interface EngineOptions {
  readonly dialect: Dialect;
  /** Find every fault, not the first alone. */
  readonly allErrors: boolean;
  /** Fill defaults into the value. */
  readonly useDefaults: boolean;
  /** The schema refers to a published meta-schema. */
  readonly usesMetaSchema: boolean;
}

/** Compiles with an Ajv of its own, so that no schema sees the ids of another. */
export function compileEngine(schema: JsonSchema, options: EngineOptions): Engine {
  const { dialect, allErrors, useDefaults, usesMetaSchema } = options;
  const ajv = createAjv(dialect, { allErrors, verbose: true, useDefaults, meta: usesMetaSchema });
  let steps = 0;
  countReferences(ajv, () => {
    if (++steps > maxReferenceSteps) throw new ReferenceBudgetError();
  });
  const check = compile(ajv, schema);
  return (value) => {
    steps = 0;
    return check(value) ? undefined : (check.errors ?? []);
  };
}

const judges = new Map<Dialect, Ajv>();

/** Checks the schema against the schema of its dialect. */
export function judgeSchema(schema: JsonSchema, dialect: Dialect): void {
  let judge = judges.get(dialect);
  if (judge === undefined) {
    // Without formats: `format: "regex"` would ask the native engine about patterns it never gets to run.
    judge = new (classes[dialect]())({ strict: false, logger: false, validateFormats: false });
    judges.set(dialect, judge);
  }
  const { $schema: _, ...plain } = schema;
  if (judge.validateSchema(plain) === true) return;
  const { instancePath = "", message = "is not valid" } = judge.errors?.[0] ?? {};
  refuse(`"${instancePath || "/"}" ${message}; correct it there`);
}

function createAjv(dialect: Dialect, options: Options): Ajv {
  const ajv = new (classes[dialect]())({
    strict: false,
    logger: false,
    validateSchema: false,
    ownProperties: true,
    code: { regExp: Object.assign(compilePattern, { code: "linear" }) },
    ...options,
  });
  addFormats(ajv);
  // A stray `id` of draft-04 is an annotation, no reason to refuse.
  ajv.removeKeyword("id");
  for (const definition of ownKeywords) replaceKeyword(ajv, definition.keyword as string, () => definition);
  return ajv;
}

// Ajv's expression for this one takes time quadratic in the text.
const maxUrlChars = 8_192;

function addFormats(ajv: Ajv): void {
  const { default: add } = require("ajv-formats") as { default: (ajv: Ajv) => Ajv };
  add(ajv);
  const url = ajv.formats["url"] as RegExp;
  ajv.addFormat("url", (text: string) => text.length <= maxUrlChars && url.test(text));
}

/** Ajv's own compare every pair of items, and find that 4.35 is no multiple of 0.01. */
const ownKeywords: readonly Definition[] = [
  {
    keyword: "uniqueItems",
    type: ["array"],
    schemaType: ["boolean"],
    validate: (wanted: boolean, items: readonly unknown[]) =>
      !wanted || new Set(items.map(canonicalJson)).size === items.length,
  },
  {
    keyword: "multipleOf",
    type: ["number"],
    schemaType: ["number"],
    validate: (divisor: number, value: number) => {
      const quotient = value / divisor;
      const error = Math.abs(quotient - Math.round(quotient));
      return Number.isFinite(quotient) && error <= 1e-12 * Math.max(1, Math.abs(quotient));
    },
  },
];

/** Every kind of reference calls `step` each time it is followed: recursion, and any growth, passes there. */
function countReferences(ajv: Ajv, step: () => void): void {
  const { _ } = require("ajv") as typeof AjvModule;
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    replaceKeyword(ajv, keyword, (definition) => {
      if (!("code" in definition)) return definition;
      const { code } = definition;
      return {
        ...definition,
        code(context, ruleType) {
          context.gen.code(_`${context.gen.scopeValue("func", { ref: step })}()`);
          code(context, ruleType);
        },
      };
    });
  }
}

/** Replaces a keyword in place, since Ajv runs keywords in the order in which they were first added. */
function replaceKeyword(ajv: Ajv, keyword: string, replace: (definition: Definition) => Definition): void {
  const rule = ajv.RULES.all[keyword];
  if (typeof rule === "object") rule.definition = replace(rule.definition);
}

function compile(ajv: Ajv, schema: JsonSchema) {
  try {
    const check = ajv.compile(schema);
    // Its answer would be a promise, which counts as yes.
    if ("$async" in check) return refuse(`"$async" is not allowed; leave it out`);
    return check;
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    if (error instanceof Error && "missingRef" in error && typeof error.missingRef === "string") {
      throw new SchemaError(
        "SCHEMA_REFERENCE",
        `Cannot compile the schema: its reference "${error.missingRef}" leads nowhere; only references within the schema are followed`,
        { cause: error },
      );
    }
    return refuse(`${getErrorMessage(error)}; correct it`, error);
  }
}

function refuse(state: string, cause?: unknown): never {
  throw new SchemaError("SCHEMA_INVALID", `Cannot compile the schema: ${state}`, { cause });
}
