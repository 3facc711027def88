import { compileGlob } from "../../base/index.ts";
import type { ToolAnnotations } from "../tool/annotations.ts";
import type { Effect } from "../tool/effect.ts";
import type { Tool } from "../tool/tool.ts";
import { checkRule } from "./check-rule.ts";
import { type Caller, type RuleField, ruleFields } from "./rule-fields.ts";
import { type Decision, decisions, type Remembrance, type Rule, remembrances } from "./rules.ts";
import type { Trust } from "./trust.ts";

const toOutside = "it would tell an address from outside what that does not know";
const fromOutside = "its arguments hold data from outside";

/**
 * Reading and changing what lies within the call's bounds runs, and so does what only computes, commands that are
 * known to only read among them, and those in a sandbox that nothing is known against. Whatever no rule names asks:
 * other commands, other hosts, deleting, and every path outside. Data from outside may choose nothing that could not
 * be had again.
 */
export const defaultRules: readonly Rule[] = [
  { decision: "allow", effect: "read", within: true },
  { decision: "allow", effect: "write", within: true },
  { decision: "allow", effect: "connect", within: true },
  { decision: "allow", effect: "run", within: true },
  { decision: "allow", effect: "run", confined: true, routine: true },
  { decision: "allow", effect: "none", annotations: { readOnly: true, openWorld: false } },
  { decision: "ask", effect: "run", within: false, trust: "untrusted", reason: fromOutside },
  {
    decision: "ask",
    effect: "connect",
    annotations: { readOnly: false },
    trust: "untrusted",
    reason: fromOutside,
    remember: "session",
  },
  { decision: "ask", effect: "connect", discloses: true, reason: toOutside, remember: "never" },
];

/**
 * The rule for every tool and every effect that says `confirm`: it comes with them, and no list of rules is without it.
 */
export const confirmRule: Rule = {
  decision: "ask",
  reason: "the tool wants each call confirmed",
  remember: "never",
};

/** What rules go by: a call whose tool and effects are known. */
export interface JudgedCall {
  readonly tool: Tool;
  readonly params: unknown;
  readonly effects: readonly Effect[];
  readonly context: Caller;
  readonly trust: Trust;
  readonly discloses?: boolean;
}

/** What policy says of one call. */
export interface Verdict {
  readonly decision: Decision;
  /** The rule that decided; absent where none named the call, which asks. */
  readonly rule?: Rule;
  /** The effects that got this decision; empty for a call without effects. */
  readonly effects: readonly Effect[];
  /** No rule names the call, and its tool declares neither annotations nor effects that one could name. */
  readonly undeclared?: true;
  /** What a plan got for each of its calls. Rules name those tools, not the one that calls them. */
  readonly parts?: readonly VerdictPart[];
}

/** What one call of a plan would do. */
export interface VerdictPart {
  readonly toolName: string;
  /** Empty for a call without effects. */
  readonly effects: readonly Effect[];
}

/** How one effect was decided. */
export interface Judgement {
  /** The tool whose effect it is, where a plan has one that is not the call's own. */
  readonly toolName?: string;
  /** Absent for a call without effects. */
  readonly effect: Effect | undefined;
  readonly decision: Decision;
  /** The rule that decided; absent where none names the effect, which asks. */
  readonly rule: Rule | undefined;
  /** All rules that hold for it, in their order. */
  readonly holding: readonly Rule[];
}

/**
 * The longest time for which an answer to all these questions may be remembered: that of the strictest of the
 * rules that ask.
 */
export function findRemembrance(judgements: readonly Judgement[]): Remembrance {
  const said = judgements.flatMap(({ decision, holding }) =>
    decision === "ask"
      ? holding.flatMap((rule) => (rule.decision === "ask" ? (rule.remember ?? []) : []))
      : [],
  );
  return remembrances.find((one) => said.includes(one)) ?? "always";
}

/** Whether a rule requires an answer to exactly this call, so that no wider grant covers it. */
export function wantsExactAnswer(judgements: readonly Judgement[]): boolean {
  return judgements.some(
    ({ decision, holding }) =>
      decision === "ask" && holding.some((rule) => rule.decision === "ask" && rule.exact === true),
  );
}

/**
 * A compiled list of rules. Each effect of a call is decided by itself, and the strictest decision is that of the call.
 *
 * @example
 * ```ts
 * const policy = new PermissionPolicy([...defaultRules, { decision: "deny", target: "/home/ada/shop/.env" }]);
 * const tool = defineTool({ name: "read", description: "Read.", parameters: z.object({}), execute: () => "" });
 * const read = (target: string) =>
 *   policy.decide({
 *     tool,
 *     params: {},
 *     effects: [{ kind: "read", target, within: true }],
 *     context: {},
 *     trust: "trusted",
 *   });
 * read("/home/ada/shop/notes.txt").decision; // → "allow"
 * read("/home/ada/shop/.env").decision; // → "deny"
 * ```
 */
export class PermissionPolicy {
  readonly rules: readonly Rule[];
  readonly #compiled: readonly CompiledRule[];
  /** The rules that can hold for every call of a tool, the strictest first. */
  readonly #ofEveryCall: readonly CompiledRule[];
  readonly #ofTool = new WeakMap<Tool, ToolRules>();

  constructor(rules: readonly Rule[] = defaultRules) {
    this.rules = rules;
    this.#compiled = rules.map(compileRule);
    this.#ofEveryCall = this.#compiled
      .filter(({ holdsAlways }) => holdsAlways !== undefined)
      .sort((a, b) => decisions.indexOf(b.rule.decision) - decisions.indexOf(a.rule.decision));
  }

  /** The strictest decision over all effects, and what it was made by. */
  decide(call: JudgedCall): Verdict {
    const { effects } = call;
    if (effects.length === 0) return toVerdict(call.tool, this.#findStrictest(call, undefined), noEffects);
    let rule: Rule | undefined;
    let decision: Decision | undefined;
    let decided: Effect[] = [];
    for (const effect of effects) {
      const found = this.#findStrictest(call, effect);
      const one = found?.decision ?? unnamed(call.tool);
      if (decision === undefined || isStricter(one, decision)) {
        decision = one;
        rule = found;
        decided = [];
      }
      if (one === decision) decided.push(effect);
    }
    return toVerdict(call.tool, rule, decided);
  }

  /** What {@link decide} goes by: every effect, or the call itself where it has none, with the rules that hold for it. */
  explain(call: JudgedCall): Judgement[] {
    const subjects = call.effects.length === 0 ? [undefined] : call.effects;
    return subjects.map((effect) => {
      const rule = this.#findStrictest(call, effect);
      const holding = this.#rulesFor(call.tool, effect)
        .filter(({ holdsFor }) => holdsFor(call, effect))
        .map((one) => one.rule);
      return { effect, decision: rule?.decision ?? unnamed(call.tool), rule, holding };
    });
  }

  /** The strictest rule that holds for every call of a tool by this caller, whatever its arguments; undefined where there is none. */
  ofEveryCall(tool: Tool, context: JudgedCall["context"]): Rule | undefined {
    const found = this.#ofEveryCall.find(
      ({ fits, holdsAlways }) => holdsAlways?.(tool, context) === true && fits(tool),
    )?.rule;
    const isAsked =
      tool.confirm === true && (found === undefined || !isStricter(found.decision, confirmRule.decision));
    return isAsked ? confirmRule : found;
  }

  /** The first of the strictest rules that hold. */
  #findStrictest(call: JudgedCall, effect: Effect | undefined): Rule | undefined {
    let found: Rule | undefined;
    for (const { rule, holdsFor } of this.#rulesFor(call.tool, effect)) {
      if (found !== undefined && !isStricter(rule.decision, found.decision)) continue;
      if (holdsFor(call, effect)) found = rule;
    }
    return found;
  }

  /** The rules of a tool that can hold for an effect of this kind: most rules are about files, and most calls are not. */
  #rulesFor(tool: Tool, effect: Effect | undefined): readonly CompiledRule[] {
    const { all, byKind } = this.#compileRules(tool);
    const kind = effect?.kind ?? "none";
    let rules = byKind.get(kind);
    if (rules === undefined) {
      rules = all.filter(({ rule }) => rule.effect === undefined || rule.effect === kind);
      byKind.set(kind, rules);
    }
    return effect?.confirm === true && tool.confirm !== true ? [confirmed, ...rules] : rules;
  }

  /** The rules whose tool, category and annotations fit; worked out once per tool. */
  #compileRules(tool: Tool): ToolRules {
    let rules = this.#ofTool.get(tool);
    if (rules === undefined) {
      const fitting = this.#compiled.filter((rule) => rule.fits(tool));
      rules = { all: tool.confirm === true ? [confirmed, ...fitting] : fitting, byKind: new Map() };
      this.#ofTool.set(tool, rules);
    }
    return rules;
  }
}

interface ToolRules {
  readonly all: readonly CompiledRule[];
  readonly byKind: Map<Rule["effect"], readonly CompiledRule[]>;
}

const confirmed = compileRule(confirmRule);

const noEffects: readonly Effect[] = [];

function toVerdict(tool: Tool, rule: Rule | undefined, effects: readonly Effect[]): Verdict {
  if (rule === undefined) {
    const undeclared = effects.length === 0 && Object.keys(tool.annotations).length === 0;
    return { decision: unnamed(tool), effects, ...(undeclared && { undeclared: true as const }) };
  }
  return { decision: rule.decision, rule, effects };
}

/** What no rule names asks; what only makes other calls leaves it to those. */
function unnamed({ composes }: Tool): Decision {
  return composes === undefined ? "ask" : "allow";
}

function isStricter(a: Decision, b: Decision): boolean {
  return decisions.indexOf(a) > decisions.indexOf(b);
}

interface CompiledRule {
  readonly rule: Rule;
  readonly fits: (tool: Tool) => boolean;
  readonly holdsFor: (call: JudgedCall, effect: Effect | undefined) => boolean;
  /** Whether it holds for any arguments and any effects. Absent: it does so for no tool. */
  readonly holdsAlways: ((tool: Tool, context: JudgedCall["context"]) => boolean) | undefined;
}

function compileRule(rule: Rule): CompiledRule {
  checkRule(rule);
  const given = listGiven(rule);
  const toolTests = given.flatMap(({ value, readTool }) => (readTool ? [testGlob(value, readTool)] : []));
  const callerTests = given.flatMap(({ value, readCaller }) =>
    readCaller ? [testGlob(value, readCaller)] : [],
  );
  const marks = given.flatMap(({ value, readCommand }) =>
    readCommand ? [(effect: Effect) => readCommand(effect) === value] : [],
  );
  const target = rule.target === undefined ? undefined : targetTest(rule.target, rule.decision);
  const values = Object.entries(rule.arguments ?? {}).map(([path, glob]) => ({
    path,
    keys: path.split("."),
    matches: textTest(glob, rule.decision),
    matchesTarget: targetTest(glob, rule.decision),
  }));
  const byText = rule.target !== undefined || values.length > 0;
  const isBy =
    callerTests.length === 0 ? () => true : (caller: Caller) => callerTests.every((test) => test(caller));
  // Most rules name no arguments. It is a separate function so that only rules that need the closure pay for it.
  const argumentsFit = (params: unknown, effect: Effect | undefined) =>
    values.every(({ path, keys, matches, matchesTarget }) => {
      if (effect?.argument !== path) return matches(textAt(params, keys));
      return matchesTarget(effect) || (rule.decision !== "allow" && matches(textAt(params, keys)));
    });
  const byCall = given.some(({ isByCall, readCommand }) => isByCall ?? readCommand !== undefined);
  return {
    rule,
    fits: (tool) =>
      (tool.composes === undefined || namesTools(rule)) &&
      toolTests.every((test) => test(tool)) &&
      annotationsFit(rule.annotations, tool.annotations),
    holdsFor: ({ params, context, trust, discloses = false }, effect) =>
      effectFits(rule, marks, effect) &&
      (rule.trust === undefined || rule.trust === trust) &&
      (rule.discloses === undefined || rule.discloses === discloses) &&
      isBy(context) &&
      !(byText && rule.decision === "allow" && effect?.opaque === true) &&
      (target === undefined || (effect !== undefined && target(effect))) &&
      (values.length === 0 || argumentsFit(params, effect)),
    holdsAlways:
      byCall || (rule.effect ?? "none") !== "none"
        ? undefined
        : (tool, context) => (rule.effect === undefined || tool.effects === undefined) && isBy(context),
  };
}

/**
 * Allowing goes by the target alone. What asks or denies also knows its other texts, and finds what it names
 * anywhere within an opaque one.
 */
function targetTest(pattern: string, decision: Decision): (effect: Effect) => boolean {
  // Each start makes the tests of hundreds of rules, and most programs ask few of them.
  let test: ((effect: Effect) => boolean) | undefined;
  return (effect) => {
    test ??= compileTarget(pattern, decision);
    return test(effect);
  };
}

function compileTarget(pattern: string, decision: Decision): (effect: Effect) => boolean {
  const matches = textTest(pattern, decision);
  if (decision === "allow") return (effect) => matches(effect.target);
  // Few effects are opaque, and an installation has hundreds of rules.
  let contains: ((text: string) => boolean) | undefined;
  const test = (text: string, opaque: boolean | undefined) =>
    matches(text) || (opaque === true && wordings(text).some((contains ??= findTest(pattern, decision))));
  return ({ target, aliases, opaque }) =>
    test(target, opaque) || aliases?.some((alias) => test(alias, opaque)) === true;
}

/** Tests whether a text has what the pattern names anywhere within it. */
function findTest(pattern: string, decision: Decision): (text: string) => boolean {
  const somewhere = pattern.replace(/\*+/g, "**");
  return textTest(`** ${somewhere}${somewhere.endsWith("*") ? "" : " **"}`, decision);
}

/** What asks or denies does not mind the case of letters. */
function textTest(pattern: string, decision: Decision): (text: string) => boolean {
  if (decision === "allow") return compileGlob(pattern);
  const matches = compileGlob(pattern.toLowerCase());
  return (text) => matches(toSmallLetters(text));
}

let asked = "";
let askedSmall = "";

/** Dozens of rules match the same text one after the other, so its lower-case form is kept. */
function toSmallLetters(text: string): string {
  if (text !== asked) {
    askedSmall = text.toLowerCase();
    asked = text;
  }
  return askedSmall;
}

/** An opaque text as its words may stand: as it is, without quotes and operators, and without folders. */
function wordings(text: string): string[] {
  return [text, text.replace(/[^\w./-]+/g, " "), text.replace(/[^\w.-]+/g, " ")].map((one) => ` ${one} `);
}

/** A rule about calls in general is about those that a composed one makes. */
function namesTools({ tool, pack, category, origin }: Rule): boolean {
  return (tool ?? pack ?? category ?? origin) !== undefined;
}

/** The fields that a rule has, each with its value. */
function listGiven(rule: Rule): readonly (RuleField & { readonly value: unknown })[] {
  return Object.entries(rule).flatMap(([name, value]) =>
    value === undefined ? [] : [{ ...ruleFields[name as keyof Rule], value }],
  );
}

/**
 * Keeps the last match, since subjects with the same text follow each other, such as the tools of one server with their
 * origin.
 */
function testGlob<T>(glob: unknown, read: (subject: T) => string): (subject: T) => boolean {
  const matches = compileGlob(String(glob));
  let last: { readonly text: string; readonly matches: boolean } | undefined;
  return (subject) => {
    const text = read(subject);
    if (last?.text !== text) last = { text, matches: matches(text) };
    return last.matches;
  };
}

/** Only a command has marks, or lacks them. */
function effectFits(
  rule: Rule,
  marks: readonly ((command: Effect) => boolean)[],
  effect: Effect | undefined,
): boolean {
  if (rule.effect === "none") return effect === undefined;
  if (rule.effect !== undefined && rule.effect !== effect?.kind) return false;
  if (marks.length > 0 && (effect?.kind !== "run" || !marks.every((test) => test(effect)))) return false;
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
