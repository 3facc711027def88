import {
  type ExplainedEffect,
  type Explanation,
  findOutcome,
  type NumberedRule,
  type PolicyTestResult,
  type RuleSource,
  type ShadowDifference,
} from "../../app/index.ts";
import { cutHead, oneLine, showInvisible } from "../../base/index.ts";
import { type Decision, effectVerbs, type Mode } from "../../kernel/index.ts";
import type { Paint, Terminal } from "../terminal.ts";
import { wrapText } from "./display-width.ts";
import { describeRule } from "./rule.ts";
import { renderTable } from "./table.ts";

export interface ListedRule extends NumberedRule {
  /** No tool there is fits it. */
  readonly unused: boolean;
}

/** Sources whose many rules are alike: one line stands for all, unless each is wanted. */
const folded: readonly RuleSource[] = ["secret files", "code files"];

export interface RuleListOptions {
  readonly mode: Mode;
  /** Every rule on a line of its own. */
  readonly all: boolean;
}

/** The rules in force, numbered in their order. */
export function renderRules(
  rules: readonly ListedRule[],
  { mode, all }: RuleListOptions,
  terminal: Terminal,
): string {
  const groups = Array.from(Map.groupBy(rules, ({ source }) => source).values());
  const rows = groups.flatMap((group) => (all ? group.map(ruleRow) : groupRows(group)));
  const table = renderTable(
    [{ title: "", align: "right" }, { title: "From" }, { title: "Rule", overflow: "wrap" }],
    rows.map((row) => row.map((text) => terminal.foreign(text))),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
  const locked = mode === "locked" ? ", and nobody is asked: what asks is refused" : "";
  const heading = `Mode ${mode}. Each effect of a call is decided by itself: deny beats ask beats allow; what no rule names asks${locked}.`;
  return `${wrapText(heading, terminal.width).join("\n")}\n\n${table}`;
}

function groupRows(group: readonly ListedRule[]): string[][] {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (!folded.includes(first.source)) return group.map(ruleRow);
  const what =
    first.source === "secret files"
      ? "reads or changes a file that may hold secrets"
      : "changes a file that programs of yours would run";
  return [[`${first.number}-${last.number}`, first.source, `ask before a call ${what}; --all shows each`]];
}

function ruleRow({ number, source, rule, unused }: ListedRule): string[] {
  return [String(number), source, `${describeRule(rule)}${unused ? "  [no tool fits it]" : ""}`];
}

/** What would be decided of a call, effect by effect, and what would change that. */
export function renderExplanation(explanation: Explanation, terminal: Terminal): string {
  const { tool, mode, trust, grants, effects, refusal } = explanation;
  const heading = `${terminal.paint("bold", tool)} ${terminal.paint(choosePaint(findOutcome(explanation)), sayOutcome(explanation))}`;
  const data = trust === "untrusted" ? ", with data from outside" : "";
  const facts: [string, string][] = [
    ...(refusal === undefined ? [] : [["whatever rules say", refusal] as [string, string]]),
    ...(grants.length > 0
      ? [["remembered", `${grants.join(", ")} (\`haft grants\`)`] as [string, string]]
      : []),
    ...(explanation.whyAsked === undefined
      ? []
      : [["asked again", explanation.whyAsked] as [string, string]]),
    ...isolations(effects).map((text): [string, string] => ["isolation", text]),
    ...explanation.notes.map((text): [string, string] => ["note", text]),
    ...explanation.toAllow.map((text): [string, string] => ["to allow it", text]),
  ];
  return [
    `${heading} in mode ${mode}${data}\n`,
    ...(effects.length === 0 ? [] : [effectTable(effects, terminal)]),
    ...(facts.length === 0 ? [] : [factTable(facts, terminal)]),
    ...advice(explanation),
  ].join("\n");
}

function sayOutcome(explanation: Explanation): string {
  if (explanation.decision === "ask" && explanation.grants.length > 0)
    return "is allowed, as was answered before,";
  const words: Readonly<Record<Decision, string>> = { allow: "is allowed", ask: "asks", deny: "is refused" };
  return words[explanation.decision];
}

function effectTable(effects: readonly ExplainedEffect[], terminal: Terminal): string {
  const rows = effects.flatMap(({ tool, effect, decision, rule, others }) => {
    const does =
      effect === undefined ? "run; it names no effect" : `${effectVerbs[effect.kind]} ${effect.target}`;
    const what = tool === undefined ? does : `${tool}: ${does}`;
    const asks = decision === "ask" ? effect?.asks : undefined;
    const marks = [effect?.unclear, asks, effect?.risk].filter((text) => text !== undefined);
    return [
      [decision, showInvisible([what, ...marks].join("; "))],
      ["", rule === undefined ? "no rule names it" : `by ${sayRule(rule)}`],
      ...others.map((other) => ["", `also ${sayRule(other)}`]),
    ];
  });
  return renderTable(
    [
      { title: "", paint: (text) => terminal.paint(choosePaint(text.trim()), text) },
      { title: "", overflow: "wrap" },
    ],
    rows,
    { width: terminal.width, indent: "  ", titles: false },
  );
}

function factTable(facts: readonly (readonly [string, string])[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    facts.map(([name, value]) => [name, showInvisible(value)]),
    { width: terminal.width, indent: "  ", titles: false },
  );
}

/** What to do about it; one line, or none. */
function advice({ decision, toAllow, inTheWay, mode, refusal }: Explanation): string[] {
  if (decision === "allow" || refusal !== undefined) return [];
  if (inTheWay.length > 0) {
    const from = (...sources: readonly RuleSource[]) =>
      inTheWay.some(({ source }) => sources.includes(source));
    const ways = [
      ...(decision === "ask" ? ["answer the question"] : []),
      ...(from("own file", "project file") ? ["change it in your configuration"] : []),
      ...(from("mode") || mode === "locked" ? [`leave mode ${mode}`] : []),
    ];
    return [`No other rule undoes one that asks or denies: ${ways.join(", or ")}.\n`];
  }
  if (toAllow.length > 0) {
    return ["Such a rule belongs to permissions in haft.config.yml; run `haft trust` after each change.\n"];
  }
  return ["No rule could allow it without allowing far more.\n"];
}

function isolations(effects: readonly ExplainedEffect[]): readonly string[] {
  return Array.from(new Set(effects.flatMap(({ effect }) => effect?.isolation ?? [])));
}

function sayRule({ number, source, rule }: NumberedRule): string {
  if (source === "tool") return `the tool itself: ${describeRule(rule)}`;
  return `rule ${number} (${source}): ${describeRule(rule)}`;
}

/** Each failed test with what decided instead, then the count. */
export function renderTests(results: readonly PolicyTestResult[], terminal: Terminal): string {
  const failed = results.filter(({ passed }) => !passed);
  const lines = failed.map(
    ({ name, fault }) =>
      `${terminal.paint("red", "FAILED")}  ${showInvisible(cutHead(oneLine(name), 200))}\n        ${showInvisible(fault ?? "").replaceAll("\n", "\n        ")}\n`,
  );
  const count = `${results.length - failed.length} of ${results.length} policy tests passed`;
  return [...lines, `${terminal.paint(failed.length === 0 ? "green" : "red", count)}\n`].join("");
}

/** Which calls would be decided otherwise, the most frequent first. */
export function renderDifferences(differences: readonly ShadowDifference[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "Calls", align: "right" },
      { title: "Tool", paint: (text) => terminal.paint("bold", text) },
      { title: "Now" },
      { title: "Instead", paint: (text) => terminal.paint(choosePaint(text.trim()), text) },
      { title: "Example" },
      { title: "Arguments", overflow: "cut" },
    ],
    differences.map(({ count, tool, now, instead, example }) => [
      String(count),
      tool,
      now,
      instead,
      example.callId,
      showInvisible(example.paramsText.replaceAll("\n", " ")),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

function choosePaint(decision: string): Paint {
  if (decision === "allow") return "green";
  return decision === "deny" ? "red" : "yellow";
}
