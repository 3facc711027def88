import { isRecord } from "../../../base/index.ts";
import type { Params } from "../messages/message.ts";

/** One field of a form: a text, a number, a yes or no, a choice of one, or a choice of several. */
export type FormField = TextField | NumberField | BooleanField | ChoiceField | ChoicesField;

interface FieldBase {
  readonly title?: string;
  readonly description?: string;
}

/** A text; lengths count characters. */
export interface TextField extends FieldBase {
  readonly type: "string";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: "email" | "uri" | "date" | "date-time";
  readonly default?: string;
}

/** A number, both bounds included. */
export interface NumberField extends FieldBase {
  readonly type: "number" | "integer";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** A yes or no. */
export interface BooleanField extends FieldBase {
  readonly type: "boolean";
  readonly default?: boolean;
}

/** A choice of one. `oneOf` has titles and is known from 2025-11-25 on; `enum` everywhere. */
export interface ChoiceField extends FieldBase {
  readonly type: "string";
  readonly enum?: readonly string[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title: string }[];
  readonly default?: string;
}

/** A choice of several; known from 2025-11-25 on. */
export interface ChoicesField extends FieldBase {
  readonly type: "array";
  readonly items:
    | { readonly type: "string"; readonly enum: readonly string[] }
    | { readonly anyOf: readonly { readonly const: string; readonly title: string }[] };
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly string[];
}

/** The schema of a form: an object of plain fields, nothing nested. */
export interface FormSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[];
}

/** What one field holds when it is filled in. */
export type FormValue = string | number | boolean | readonly string[];

/** The first thing in which what a person filled in does not fit the form; undefined where it fits. */
export function findMisfit(content: unknown, schema: FormSchema): string | undefined {
  if (!isRecord(content)) return "the answer has no content";
  for (const name of schema.required ?? []) if (content[name] === undefined) return `"${name}" is missing`;
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = content[name];
    if (value !== undefined && !fits(value, field)) return `"${name}" does not fit its field`;
  }
  return undefined;
}

function fits(value: unknown, field: FormField): boolean {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean";
    case "number":
    case "integer":
      return (
        typeof value === "number" &&
        (field.type === "number" || Number.isInteger(value)) &&
        isWithin(value, field.minimum, field.maximum)
      );
    case "array":
      return (
        Array.isArray(value) &&
        isWithin(value.length, field.minItems, field.maxItems) &&
        value.every((one) => listChoices(field.items).includes(one))
      );
    case "string":
      if (typeof value !== "string") return false;
      if ("enum" in field || "oneOf" in field) return listChoices(field).includes(value);
      return "minLength" in field || "maxLength" in field
        ? isWithin(Array.from(value).length, field.minLength, field.maxLength)
        : true;
    default:
      return field satisfies never;
  }
}

function listChoices(field: {
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly anyOf?: readonly { readonly const: string }[];
}): readonly unknown[] {
  return field.enum ?? (field.oneOf ?? field.anyOf ?? []).map((choice) => choice.const);
}

function isWithin(value: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return value >= least && value <= most;
}

/** Only the fields that the form has: what else the client sent is dropped. */
export function readContent(content: Params, schema: FormSchema): Record<string, FormValue> {
  const kept: Record<string, FormValue> = {};
  for (const name of Object.keys(schema.properties)) {
    if (content[name] !== undefined) kept[name] = content[name] as FormValue;
  }
  return kept;
}
