import type { JsonSchema, MaybePromise } from "../../base/index.ts";

/**
 * The part of Standard Schema and Standard JSON Schema that haft uses (https://standardschema.dev). Zod,
 * ArkType and others carry both; Valibot through its `toStandardJsonSchema`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => MaybePromise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a tool may declare as `parameters`. */
export type ParameterSchema = StandardSchema | JsonSchema | TypedJsonSchema;

/** JSON Schema whose type is an interface, as TypeBox's are: it has no index signature. */
export interface TypedJsonSchema {
  readonly "~standard"?: never;
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly anyOf?: unknown;
  readonly allOf?: unknown;
  readonly oneOf?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly $ref?: unknown;
}

/** One fault of one argument. */
export interface ValidationIssue {
  /** The path from the root of the arguments; empty for the arguments as a whole. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Whether a value fits a schema: the value with defaults filled in, or every issue. */
export type Validation =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly issues: readonly ValidationIssue[] };

/** Checks a value and returns it with defaults and conversions applied. Never throws for a bad value. */
export type Validate = (value: unknown) => MaybePromise<Validation>;

/** Turns a raw JSON Schema into a check. Throws where the schema itself is at fault. `schema/` implements it. */
export type SchemaCompiler = (schema: JsonSchema) => Validate;

/** The arguments that `execute` gets for a schema. */
export type ParametersOf<S> = S extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : FromJsonSchema<S>;

/**
 * The type that a literal JSON Schema describes, for the keywords that decide a value's shape. A keyword it
 * does not know widens the type to `unknown`; it never narrows wrongly.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Option)[] }
      ? FromJsonSchema<Option>
      : S extends { readonly oneOf: readonly (infer Option)[] }
        ? FromJsonSchema<Option>
        : S extends { readonly type: "object"; readonly properties: infer Properties }
          ? FromProperties<Properties, RequiredOf<S>>
          : S extends { readonly type: "object" }
            ? Record<string, unknown>
            : S extends { readonly nullable: true }
              ? unknown
              : S extends { readonly type: "array"; readonly prefixItems: unknown }
                ? unknown[]
                : S extends { readonly type: "array"; readonly items: infer Item }
                  ? FromJsonSchema<Item>[]
                  : S extends { readonly type: infer Type }
                    ? FromTypeName<Type>
                    : unknown;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type FromProperties<Properties, Required> = {
  -readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromJsonSchema<
    Properties[Name]
  >;
} & {
  -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromJsonSchema<
    Properties[Name]
  >;
};

type FromTypeName<Type> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? unknown[]
          : unknown;

export function isStandardSchema(schema: ParameterSchema): schema is StandardSchema {
  return "~standard" in schema;
}

/**
 * Gives the JSON Schema of either kind of parameters. A Standard Schema is converted at each call: keep the result.
 *
 * @example
 * ```ts
 * toJsonSchema(z.object({ name: z.string() }))["required"]; // → ["name"]
 * ```
 */
export function toJsonSchema(schema: ParameterSchema): JsonSchema {
  if (!isStandardSchema(schema)) return schema as JsonSchema;
  return schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
}

/** The check of a Standard Schema, in the kernel's form. */
export function standardValidate(schema: StandardSchema): Validate {
  const { validate } = schema["~standard"];
  return (value) => {
    const result = validate(value);
    return "then" in result ? result.then(toValidation) : toValidation(result);
  };
}

function toValidation(result: StandardResult<unknown>): Validation {
  if (result.issues === undefined) return { valid: true, value: result.value };
  return {
    valid: false,
    issues: result.issues.map((issue) => ({
      path: Array.from(issue.path ?? [], (part) => toKey(typeof part === "object" ? part.key : part)),
      message: issue.message,
    })),
  };
}

function toKey(key: PropertyKey): string | number {
  return typeof key === "number" ? key : String(key);
}
