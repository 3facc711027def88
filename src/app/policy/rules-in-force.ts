import { withoutUndefined } from "../../base/index.ts";
import { codeFileRules, outsideRules, secretFileRules } from "../../host/index.ts";
import {
  confirmRule,
  defaultRules,
  type Mode,
  modeRules,
  PermissionPolicy,
  type Rule,
  type Tool,
} from "../../kernel/index.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { ownToolRules } from "./own-tool-rules.ts";

/** The sources of rules. */
export const ruleSources = [
  "default",
  "secret files",
  "code files",
  "own tools",
  "sandbox",
  "own file",
  "project file",
  "mode",
] as const;
/** `tool`: a rule that comes with the tool itself. */
export type RuleSource = (typeof ruleSources)[number] | "tool";

/** A rule in its place: `haft policy` knows it by its number, from 1. */
export interface NumberedRule {
  readonly number: number;
  readonly source: RuleSource;
  readonly rule: Rule;
}

/** The files that rules are taken from; of a project that is not trusted, what is left of it. */
export interface RuleFiles {
  readonly own: Pick<HaftConfig, "permissions">;
  readonly project: Pick<HaftConfig, "permissions">;
}

/** All rules, in their order; those of the mode come last. */
export function rulesInForce({ own, project }: RuleFiles, mode: Mode): readonly NumberedRule[] {
  const groups: readonly (readonly [RuleSource, readonly Rule[]])[] = [
    ["default", defaultRules],
    ["secret files", secretFileRules],
    ["code files", codeFileRules],
    ["own tools", ownToolRules],
    ["sandbox", outsideRules],
    ["own file", own.permissions ?? []],
    ["project file", project.permissions ?? []],
    ["mode", modeRules[mode]],
  ];
  return groups
    .flatMap(([source, rules]) => rules.map((rule) => ({ source, rule })))
    .map((one, at) => ({ number: at + 1, ...one }));
}

/** What a tool that says `confirm` brings with it; before all others, and on no list. */
export const ruleOfTools: NumberedRule = { number: 0, source: "tool", rule: confirmRule };

/** The rules that an executor is given: it adds those of the mode by itself. */
export function builtInRules(configured: readonly Rule[]): readonly Rule[] {
  return [
    ...defaultRules,
    ...secretFileRules,
    ...codeFileRules,
    ...ownToolRules,
    ...outsideRules,
    ...configured,
  ];
}

/** Whether a rule could hold for some call of one of these tools, by what it says of the tool. */
export function fitsSome(rule: Rule, tools: readonly Tool[]): boolean {
  const { tool, pack, category, origin, annotations } = rule;
  const said = withoutUndefined({ tool, pack, category, origin, annotations });
  const policy = new PermissionPolicy([{ ...said, decision: "deny" }]);
  return tools.some(
    (one) =>
      policy.decide({ tool: one, params: {}, effects: [], context: {}, trust: "trusted" }).decision ===
      "deny",
  );
}
