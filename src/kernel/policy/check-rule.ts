import { isRecord, nearestNames } from "../../base/index.ts";
import { type RuleField, ruleFields } from "./rule-fields.ts";
import { decisions, type Rule } from "./rules.ts";

const annotations: readonly string[] = ["readOnly", "destructive", "idempotent", "openWorld"];

/**
 * Refuses a rule that does not say what its author meant: with a field misspelt, an allowance would hold for more
 * than was written, and a ban never.
 *
 * @throws {TypeError} naming the field and what it may be.
 */
export function checkRule(rule: Rule): void {
  if (!decisions.includes(rule.decision)) throw unusable(rule, `its decision must be ${listed(decisions)}`);
  for (const [name, value] of Object.entries(rule)) {
    const wanted = Object.hasOwn(ruleFields, name) ? ruleFields[name as keyof Rule].form : undefined;
    if (wanted === undefined) throw unusable(rule, unknownField(name, Object.keys(ruleFields)));
    if (value !== undefined && !fits(value, wanted))
      throw unusable(rule, `its ${name} must be ${describe(wanted)}`);
  }
  for (const [name, value] of Object.entries(rule.annotations ?? {})) {
    if (!annotations.includes(name)) throw unusable(rule, unknownField(name, annotations));
    if (value !== undefined && !fits(value, "boolean"))
      throw unusable(rule, `its ${name} must be ${describe("boolean")}`);
  }
  for (const [path, value] of Object.entries(rule.arguments ?? {}))
    if (!fits(value, "text")) throw unusable(rule, `its argument "${path}" must be ${describe("text")}`);
}

function fits(value: unknown, wanted: RuleField["form"]): boolean {
  if (typeof wanted !== "string") return wanted.includes(value as string);
  if (wanted === "object") return isRecord(value);
  return typeof value === (wanted === "text" ? "string" : wanted);
}

function unusable(rule: Rule, why: string): TypeError {
  return new TypeError(`Cannot use the rule ${JSON.stringify(rule)}: ${why}`);
}

function unknownField(name: string, known: readonly string[]): string {
  const [nearest] = nearestNames(name, known);
  return `it has no field "${name}"; ${nearest === undefined ? `there are ${known.join(", ")}` : `did you mean "${nearest}"`}`;
}

function describe(wanted: RuleField["form"]): string {
  if (typeof wanted !== "string") return listed(wanted);
  return wanted === "boolean" ? "true or false" : `${wanted === "text" ? "a" : "an"} ${wanted}`;
}

function listed(words: readonly string[]): string {
  return `one of ${words.join(", ")}`;
}
