import { getErrorMessage } from "../../base/index.ts";
import type { JsonSchema } from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import type { Fields } from "../fields.ts";
import { reservedNames } from "./tag.ts";

export const parameterTypes = ["string", "number", "boolean", "array"] as const;
export type ParameterType = (typeof parameterTypes)[number];

/** One parameter of a tool that a user wrote. */
export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  readonly hasDefault: boolean;
  /** Only certain values: the author has seen each of them. */
  readonly isBound: boolean;
  readonly schema: JsonSchema;
}

const mostParameters = 50;
const mostChoices = 200;

/** @param types those that the format knows */
export function readParameters(
  fields: Fields,
  types: readonly ParameterType[] = parameterTypes,
): readonly Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const one of fields.objects("parameters", mostParameters)) {
    const parameter = readParameter(one, types);
    if (parameter === undefined) continue;
    if (parameters.has(parameter.name))
      one.invalid("name", "there is another parameter of this name; choose another one");
    else parameters.set(parameter.name, parameter);
  }
  return Array.from(parameters.values());
}

/** A parameter always has a value, or may be left out. */
export function isOptional({ required, hasDefault }: Parameter): boolean {
  return !required && !hasDefault;
}

export function toParameterSchema(parameters: readonly Parameter[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function readParameter(fields: Fields, types: readonly ParameterType[]): Parameter | undefined {
  const name = fields.text("name", {
    required: true,
    pattern: /^[A-Za-z][\w-]{0,63}$/,
    form: 'a letter, then letters, digits, "_" and "-"',
  });
  const type = fields.oneOf("type", types);
  if (!fields.has("type")) fields.missing("type");
  const description = fields.text("description", { most: 2000 });
  const required = fields.flag("required") ?? false;
  const choices = type === undefined ? undefined : readChoices(fields, type);
  const pattern = type === undefined ? undefined : readPattern(fields, type);
  const single = {
    ...(choices !== undefined && { enum: choices }),
    ...(pattern !== undefined && { pattern }),
  };
  const schema: JsonSchema = {
    type,
    ...(description !== undefined && { description }),
    ...(type === "array" ? { items: { type: "string", ...single } } : single),
  };
  const fallback = fields.raw("default");
  fields.refuseOthers();
  if (name === undefined || type === undefined) return undefined;
  if (reservedNames.includes(name))
    return fields.invalid("name", `"${name}" is a word of commands; choose another name`);
  const hasDefault = fallback !== undefined && fallback !== null;
  if (hasDefault && !fits(schema, fallback))
    return fields.invalid("default", "it does not fit the parameter itself");
  return {
    name,
    type,
    required,
    hasDefault,
    isBound: choices !== undefined || pattern !== undefined,
    schema: hasDefault ? { ...schema, default: fallback } : schema,
  };
}

function readChoices(fields: Fields, type: ParameterType): readonly unknown[] | undefined {
  const choices = fields.raw("enum");
  if (choices === undefined) return undefined;
  const wanted = type === "array" ? "string" : type;
  if (
    Array.isArray(choices) &&
    choices.length > 0 &&
    choices.length <= mostChoices &&
    choices.every((one) => typeof one === wanted)
  )
    return choices;
  return fields.invalid("enum", `it must be a list of 1 to ${mostChoices} values of type ${wanted}`);
}

/** Anchored: all of the value must fit. */
function readPattern(fields: Fields, type: ParameterType): string | undefined {
  const pattern = fields.text("pattern", { most: 1000 });
  if (pattern === undefined) return undefined;
  if (type !== "string" && type !== "array") return fields.invalid("pattern", "only text can have one");
  try {
    // Both: a bracket too many would close the group.
    compileJsonSchema({ type: "string", pattern });
    const anchored = `^(?:${pattern})$`;
    compileJsonSchema({ type: "string", pattern: anchored });
    return anchored;
  } catch (error) {
    return fields.invalid("pattern", getErrorMessage(error));
  }
}

function fits(schema: JsonSchema, value: unknown): boolean {
  const checked = compileJsonSchema(schema)(value);
  return !("then" in checked) && checked.valid;
}
