import type { ErrorObject } from "ajv";
import { isRecord, resolveLocalRef } from "../base/index.ts";
import { type JsonSchema } from "../kernel/index.ts";

/** One fault, and for a union that nothing fits, the faults under each of its alternatives. */
export interface Fault {
  readonly error: ErrorObject;
  readonly alternatives?: readonly (readonly Fault[])[];
}

/**
 * Ajv tells the faults under every branch it tried, then that of the branching keyword. Here the branch that was
 * clearly meant speaks alone; where none was, the keyword speaks and carries the others.
 */
export function collapseFaults(errors: readonly ErrorObject[], root: JsonSchema): Fault[] {
  let kept: Fault[] = [];
  for (const error of errors) {
    const branches = listBranches(error);
    if (branches === undefined) {
      kept.push({ error });
      continue;
    }
    const parts = branches.map((branch) => collectParts(branch, root));
    const inBranch = (fault: Fault, index: number) =>
      isWithin(fault.error, error) && parts[index]?.has(fault.error.parentSchema ?? {}) === true;
    const alternatives = parts.map((_, index) => kept.filter((fault) => inBranch(fault, index)));
    kept = kept.filter((fault) => !parts.some((_, index) => inBranch(fault, index)));
    kept.push(...settle(error, alternatives));
  }
  return kept;
}

function settle(error: ErrorObject, alternatives: readonly Fault[][]): readonly Fault[] {
  const tried = alternatives.filter((faults) => faults.length > 0);
  if (error.keyword === "if" && tried[0] !== undefined) return tried[0];
  if (error.keyword !== "anyOf" && error.keyword !== "oneOf") return [{ error }];
  const meant = tried.filter((faults) => !faults.some((fault) => tellsApart(fault.error, error)));
  if (meant.length === 1) return meant[0] as Fault[];
  return [{ error, alternatives: meant.length > 1 ? meant : tried }];
}

/** The schemas that a failing keyword chooses among or looks into. */
function listBranches({
  keyword,
  schema,
  parentSchema,
  params,
}: ErrorObject): readonly unknown[] | undefined {
  if (keyword === "anyOf") return schema as unknown[];
  if (keyword === "oneOf") return Array.isArray(params["passingSchemas"]) ? undefined : (schema as unknown[]);
  if (keyword === "contains" || keyword === "not" || keyword === "propertyNames") return [schema];
  if (keyword === "if") return [parentSchema?.[params["failingKeyword"] as string]];
  return undefined;
}

/** A wrong type, or another value of the key that names the kind: this branch was not meant. */
function tellsApart(fault: ErrorObject, union: ErrorObject): boolean {
  const depth = fault.instancePath.slice(union.instancePath.length).split("/").length - 1;
  if (fault.keyword === "type" || fault.keyword === "false schema") return depth === 0;
  return (fault.keyword === "const" || fault.keyword === "enum") && depth <= 1;
}

function isWithin(fault: ErrorObject, outer: ErrorObject): boolean {
  return fault.instancePath === outer.instancePath || fault.instancePath.startsWith(`${outer.instancePath}/`);
}

/** Every object inside a schema, with what its references name. */
function collectParts(schema: unknown, root: JsonSchema): ReadonlySet<object> {
  const parts = new Set<object>();
  const pending: unknown[] = [schema];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== "object" || part === null || parts.has(part)) continue;
    parts.add(part);
    pending.push(...Object.values(part));
    if (isRecord(part) && typeof part["$ref"] === "string") pending.push(resolveLocalRef(root, part["$ref"]));
  }
  return parts;
}
