import { compileGlob } from "../base/index.ts";
import { type Effect, type EffectKind, effectKinds } from "./effect.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";

export const decisions = ["allow", "ask", "deny"] as const;
export type Decision = (typeof decisions)[number];

/**
 * One sentence of policy. It holds for a call where every field it has holds; `tool`, `category`, `target` and
 * the values of `arguments` are globs (`*` within a path segment, `**` across).
 */
export interface Rule {
  readonly decision: Decision;
  readonly tool?: string;
  readonly category?: string;
  readonly annotations?: ToolAnnotations;
  /** `none`: the call declares no effect. */
  readonly effect?: EffectKind | "none";
  readonly target?: string;
  readonly within?: boolean;
  /** By dotted path into the arguments: `{ "options.mode": "fast*" }`. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Shown to whoever is asked or refused. */
  readonly reason?: string;
}

/**
 * Reading and changing what lies within the call's bounds runs, and so does what only computes, commands that are
 * known to only read among them. Whatever no rule names asks: other commands, other hosts, deleting, and every path
 * outside.
 */
export const defaultRules: readonly Rule[] = [
  { decision: "allow", effect: "read", within: true },
  { decision: "allow", effect: "write", within: true },
  { decision: "allow", effect: "connect", within: true },
  { decision: "allow", effect: "run", within: true },
  { decision: "allow", effect: "none", annotations: { readOnly: true, openWorld: false } },
];

/** What policy says of one call. */
export interface Verdict {
  readonly decision: Decision;
  /** The rule that decided; absent where none named the call, which asks. */
  readonly rule?: Rule;
  /** The effects that got this decision; empty for a call without effects. */
  readonly effects: readonly Effect[];
}

/** Rules, compiled. Every effect of a call is decided by itself, and the strictest decision is the call's. */
export class PermissionPolicy {
  readonly rules: readonly Rule[];
  readonly #compiled: readonly CompiledRule[];
  readonly #ofTool = new WeakMap<Tool, readonly CompiledRule[]>();

  constructor(rules: readonly Rule[] = defaultRules) {
    this.rules = rules;
    this.#compiled = rules.map(compileRule);
  }

  decide(tool: Tool, params: unknown, effects: readonly Effect[]): Verdict {
    const rules = this.#rulesOf(tool);
    if (effects.length === 0) return toVerdict(strictestOf(rules, params, undefined), noEffects);
    let rule: Rule | undefined;
    let decision: Decision | undefined;
    let decided: Effect[] = [];
    for (const effect of effects) {
      const found = strictestOf(rules, params, effect);
      const one = found?.decision ?? "ask";
      if (decision === undefined || isStricter(one, decision)) {
        decision = one;
        rule = found;
        decided = [];
      }
      if (one === decision) decided.push(effect);
    }
    return toVerdict(rule, decided);
  }

  /** The rules whose tool, category and annotations fit; worked out once per tool. */
  #rulesOf(tool: Tool): readonly CompiledRule[] {
    let rules = this.#ofTool.get(tool);
    if (rules === undefined) {
      rules = this.#compiled.filter((rule) => rule.fits(tool));
      this.#ofTool.set(tool, rules);
    }
    return rules;
  }
}

const noEffects: readonly Effect[] = [];

/** The first of the strictest rules that hold. */
function strictestOf(
  rules: readonly CompiledRule[],
  params: unknown,
  effect: Effect | undefined,
): Rule | undefined {
  let found: Rule | undefined;
  for (const { rule, holdsFor } of rules) {
    if (found !== undefined && !isStricter(rule.decision, found.decision)) continue;
    if (holdsFor(params, effect)) found = rule;
  }
  return found;
}

function toVerdict(rule: Rule | undefined, effects: readonly Effect[]): Verdict {
  return rule === undefined ? { decision: "ask", effects } : { decision: rule.decision, rule, effects };
}

function isStricter(a: Decision, b: Decision): boolean {
  return decisions.indexOf(a) > decisions.indexOf(b);
}

interface CompiledRule {
  readonly rule: Rule;
  readonly fits: (tool: Tool) => boolean;
  readonly holdsFor: (params: unknown, effect: Effect | undefined) => boolean;
}

function compileRule(rule: Rule): CompiledRule {
  if (!decisions.includes(rule.decision)) {
    throw new TypeError(
      `Cannot use the rule ${JSON.stringify(rule)}: its decision must be one of ${decisions.join(", ")}`,
    );
  }
  if (rule.effect !== undefined && rule.effect !== "none" && !effectKinds.includes(rule.effect)) {
    throw new TypeError(
      `Cannot use the rule ${JSON.stringify(rule)}: its effect must be one of ${effectKinds.join(", ")} or none`,
    );
  }
  const name = globOf(rule.tool);
  const category = globOf(rule.category);
  const target = rule.target === undefined ? undefined : targetTest(rule.target, rule.decision);
  const values = Object.entries(rule.arguments ?? {}).map(([path, glob]) => ({
    path,
    keys: path.split("."),
    matches: compileGlob(glob),
    matchesTarget: targetTest(glob, rule.decision),
  }));
  const byText = rule.target !== undefined || values.length > 0;
  return {
    rule,
    fits: (tool) =>
      (name === undefined || name(tool.name)) &&
      (category === undefined || category(tool.category)) &&
      annotationsFit(rule.annotations, tool.annotations),
    holdsFor: (params, effect) =>
      effectFits(rule, effect) &&
      !(byText && rule.decision === "allow" && effect?.opaque === true) &&
      (target === undefined || (effect !== undefined && target(effect))) &&
      values.every(({ path, keys, matches, matchesTarget }) => {
        if (effect?.argument !== path) return matches(textAt(params, keys));
        return matchesTarget(effect) || (rule.decision !== "allow" && matches(textAt(params, keys)));
      }),
  };
}

/**
 * Allowing goes by the target alone. What asks or denies also knows its other texts, and finds what it names
 * anywhere within an opaque one.
 */
function targetTest(pattern: string, decision: Decision): (effect: Effect) => boolean {
  const matches = compileGlob(pattern);
  if (decision === "allow") return (effect) => matches(effect.target);
  const somewhere = pattern.replace(/\*+/g, "**");
  const contains = compileGlob(`** ${somewhere}${somewhere.endsWith("*") ? "" : " **"}`);
  const test = (text: string, opaque: boolean | undefined) =>
    matches(text) || (opaque === true && wordings(text).some(contains));
  return ({ target, aliases, opaque }) =>
    test(target, opaque) || aliases?.some((alias) => test(alias, opaque)) === true;
}

/** An opaque text as its words may stand: as it is, without quotes and operators, and without folders. */
function wordings(text: string): string[] {
  return [text, text.replace(/[^\w./-]+/g, " "), text.replace(/[^\w.-]+/g, " ")].map((one) => ` ${one} `);
}

function globOf(pattern: string | undefined): ((text: string) => boolean) | undefined {
  return pattern === undefined ? undefined : compileGlob(pattern);
}

function effectFits(rule: Rule, effect: Effect | undefined): boolean {
  if (rule.effect === "none") return effect === undefined;
  if (rule.effect !== undefined && rule.effect !== effect?.kind) return false;
  return rule.within === undefined || rule.within === effect?.within;
}

/** MCP's defaults hold for what a tool does not say: not read-only, destructive, open world. */
function annotationsFit(wanted: ToolAnnotations | undefined, given: ToolAnnotations): boolean {
  if (wanted === undefined) return true;
  const readOnly = given.readOnly ?? false;
  const said: Required<ToolAnnotations> = {
    readOnly,
    destructive: given.destructive ?? !readOnly,
    idempotent: given.idempotent ?? false,
    openWorld: given.openWorld ?? true,
  };
  return (Object.keys(said) as (keyof ToolAnnotations)[]).every(
    (key) => wanted[key] === undefined || wanted[key] === said[key],
  );
}

function textAt(params: unknown, keys: readonly string[]): string {
  let value: unknown = params;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return "";
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
