import type { ErrorObject } from "ajv";
import { cutHead } from "../base/index.ts";
import type { JsonSchema, ValidationIssue } from "../kernel/index.ts";
import { collapseFaults, type Fault } from "./alternatives.ts";

// A reader mends a few faults at a time.
const maxIssues = 20;

/** Ajv's errors as faults of single arguments, in words that say what is expected. */
export function toIssues(
  errors: readonly ErrorObject[],
  value: unknown,
  schema: JsonSchema,
): ValidationIssue[] {
  const issues = new Map<string, ValidationIssue>();
  for (const fault of collapseFaults(errors, schema)) {
    const issue = { path: toPath(fault.error, value), message: describeFault(fault) };
    issues.set(JSON.stringify(issue), issue);
    if (issues.size === maxIssues) break;
  }
  return [...issues.values()];
}

/** The path to the value at fault: for a key too many or too few, the key itself. */
function toPath(error: ErrorObject, value: unknown): (string | number)[] {
  const path: (string | number)[] = [];
  let part = value;
  for (const key of toPointer(error)) {
    path.push(Array.isArray(part) ? Number(key) : key);
    part = typeof part === "object" && part !== null ? (part as Record<string, unknown>)[key] : undefined;
  }
  const key = findKey(error);
  return key === undefined ? path : [...path, key];
}

function toPointer({ instancePath }: ErrorObject): string[] {
  return instancePath
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The key that is missing, unknown or badly named. */
function findKey({ keyword, params, propertyName }: ErrorObject): string | undefined {
  if (keyword === "propertyNames") return String(params["propertyName"]);
  const { missingProperty, additionalProperty, unevaluatedProperty } = params;
  return missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
}

function describeFault({ error, alternatives = [] }: Fault): string {
  const describe = messages[error.keyword];
  const own = describe?.(error.schema as never, error) ?? error.message ?? "is not valid";
  if (alternatives.length === 0) return own;
  const types = alternatives.map((faults) => (faults.length === 1 ? faults[0]?.error : undefined));
  if (types.every((only) => only?.keyword === "type" && only.instancePath === error.instancePath)) {
    return `must be ${types.map((only) => nameType(only?.schema)).join(" or ")}`;
  }
  return `${own}: ${alternatives
    .slice(0, 4)
    .map((faults) => describeAlternative(faults, error))
    .join("; or ")}`;
}

function describeAlternative(faults: readonly Fault[], union: ErrorObject): string {
  return faults
    .slice(0, 2)
    .map((fault) => {
      const inner = toPointer(fault.error).slice(toPointer(union).length);
      const key = findKey(fault.error);
      const name = [...inner, ...(key === undefined ? [] : [key])].join(".");
      return name === "" ? describeFault(fault) : `"${name}" ${describeFault(fault)}`;
    })
    .join(" and ");
}

/** `wanted` is the value of the keyword. */
type Describe = (wanted: never, error: ErrorObject) => string;

const isRequired: Describe = () => "is required";
const isUnknown: Describe = () => "is not a known parameter";
const needsItem = (_: unknown, { params }: ErrorObject) =>
  `must have at most ${count(params["limit"] as number, "item")}`;
const needsOther = (_: unknown, { params }: ErrorObject) =>
  params["missingProperty"] === undefined
    ? "must match what another parameter asks for"
    : `is required where "${String(params["property"])}" is given`;

const messages: Readonly<Record<string, Describe>> = {
  type: (wanted: unknown, { parentSchema }) =>
    `must be ${nameType(parentSchema?.["nullable"] === true ? [wanted, "null"].flat() : wanted)}`,
  nullable: () => "must not be null",
  enum: (wanted: unknown[]) => `must be one of ${wanted.slice(0, 30).map(toShort).join(", ")}`,
  const: (wanted: unknown) => `must be ${toShort(wanted)}`,
  required: isRequired,
  additionalProperties: isUnknown,
  unevaluatedProperties: isUnknown,
  "false schema": () => "is not allowed",
  dependentRequired: needsOther,
  dependencies: needsOther,
  minLength: (wanted: number) => `must have at least ${count(wanted, "character")}`,
  maxLength: (wanted: number) => `must have at most ${count(wanted, "character")}`,
  minItems: (wanted: number) => `must have at least ${count(wanted, "item")}`,
  maxItems: (wanted: number) => `must have at most ${count(wanted, "item")}`,
  items: needsItem,
  additionalItems: needsItem,
  unevaluatedItems: (_: unknown, { params }) => `must have at most ${count(params["len"] as number, "item")}`,
  uniqueItems: () => "must not have the same item twice",
  contains: (_: unknown, { params }) => {
    const { minContains, maxContains } = params as { minContains: number; maxContains?: number };
    const most = maxContains === undefined ? "" : ` and at most ${maxContains}`;
    return `must have at least ${minContains}${most} matching ${minContains === 1 ? "item" : "items"}`;
  },
  minProperties: (wanted: number) => `must have at least ${count(wanted, "key")}`,
  maxProperties: (wanted: number) => `must have at most ${count(wanted, "key")}`,
  propertyNames: () => "is not an allowed name",
  minimum: (wanted: number) => `must be at least ${wanted}`,
  maximum: (wanted: number) => `must be at most ${wanted}`,
  exclusiveMinimum: (wanted: number) => `must be greater than ${wanted}`,
  exclusiveMaximum: (wanted: number) => `must be less than ${wanted}`,
  multipleOf: (wanted: number) => `must be a multiple of ${wanted}`,
  pattern: (wanted: string) => `must match the pattern ${wanted}`,
  format: (wanted: string) => `must have the format "${wanted}"`,
  not: (wanted: unknown) => `must not match ${toShort(wanted)}`,
  if: (_: unknown, { params }) =>
    `must match what holds ${params["failingKeyword"] === "then" ? "in its case" : "otherwise"}`,
  oneOf: (_: unknown, { params }) =>
    Array.isArray(params["passingSchemas"])
      ? "must match one alternative only, and matches several"
      : "must match one of its alternatives",
  anyOf: () => "must match one of its alternatives",
};

function nameType(type: unknown): string {
  if (Array.isArray(type)) return type.map(nameType).join(" or ");
  if (type === "null") return "null";
  return `${type === "integer" || type === "array" || type === "object" ? "an" : "a"} ${String(type)}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function toShort(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 120 ? text : `${cutHead(text, 119)}…`;
}
