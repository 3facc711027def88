import {
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type TestUnaryExpression,
  type Word,
} from "unbash";
import type { Collector } from "../collector.ts";
import type { Surroundings } from "../surroundings.ts";
import { evaluates } from "./evaluation.ts";
import { findLoopNames, valuesOfLoop } from "./loop-values.ts";
import { isFed, readCommand } from "./read-command.ts";
import { readRedirect } from "./read-redirect.ts";
import { type LoopValues, readWord } from "./word.ts";

const known: ReadonlySet<SyntaxNode["type"]> = new Set<SyntaxNode["type"]>([
  "Script",
  "Statement",
  "CompoundList",
  "CaseItem",
  "Elif",
  "Command",
  "If",
  "For",
  "ArithmeticFor",
  "Select",
  "While",
  "Subshell",
  "BraceGroup",
  "Case",
  "TestCommand",
  "ArithmeticCommand",
  "Redirected",
  "Function",
  "Coproc",
  "Pipeline",
  "Time",
  "Negation",
  "AndOr",
  "Word",
  "Literal",
  "Glob",
  "SingleQuoted",
  "DoubleQuoted",
  "AnsiCQuoted",
  "LocaleString",
  "SimpleExpansion",
  "ParameterExpansion",
  "CommandExpansion",
  "ArithmeticExpansion",
  "ProcessSubstitution",
  "ExtendedGlob",
  "BraceExpansion",
  "Assignment",
  "ArrayValue",
  "Redirect",
  "HereString",
  "HereDoc",
  "FileDescriptor",
  "FileDescriptorVariable",
  "HereDocDelimiter",
  "HereDocBody",
  "ArithmeticBinary",
  "ArithmeticUnary",
  "ArithmeticTernary",
  "ArithmeticGroup",
  "ArithmeticWord",
  "ArithmeticCommandExpansion",
  "TestUnary",
  "TestBinary",
  "TestLogical",
  "TestNot",
  "TestGroup",
  "Default",
  "Remove",
  "Replace",
  "Slice",
  "CaseModification",
  "Transform",
  "Names",
]);

const loops: ReadonlySet<SyntaxNode["type"]> = new Set<SyntaxNode["type"]>([
  "For",
  "ArithmeticFor",
  "Select",
  "While",
  "Function",
  "Coproc",
]);

/** Bodies of loops that are read once for each value. */
const mostTurns = 64;

interface Step {
  readonly node: SyntaxNode;
  readonly unordered: boolean;
  readonly fed: boolean;
  /** What its input says, where that is known. */
  readonly said?: string | undefined;
  readonly values: LoopValues | undefined;
}

/** Walks a parsed script in the order of its text, without recursion: depth of nesting costs no stack. */
export function readScript(script: ParsedScript, around: Surroundings): void {
  const { collector, source } = around;
  const steps: Step[] = [{ node: script, unordered: around.unordered, fed: around.fed, values: undefined }];
  const loopNames = findLoopNames(script);
  let turns = 0;
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { node } = step;
    if (!known.has(node.type)) {
      collector.addOpaque(source, "it holds a construct that is not known");
      continue;
    }
    if (node.type === "Script" && node.errors !== undefined && node.errors.length > 0) {
      collector.addOpaque(source, "it can't be parsed");
    }
    if (node.type === "Function")
      collector.addOpaque(`${node.name.text}()`, "it gives a name another meaning");
    if (isUnread(node)) collector.addOpaque(source, "it can't be parsed");
    const evaluated = evaluates(node);
    if (evaluated !== undefined) collector.addOpaque(readText(node, source), evaluated);
    const unordered = step.unordered || loops.has(node.type);
    if (node.type === "Command")
      readCommand(node, { ...around, unordered, fed: step.fed, said: step.said, values: step.values });
    if (node.type === "Redirect") readRedirect(node, collector);
    if (node.type === "Word" || node.type === "TestUnary") readNames(node, collector);
    const children: Step[] = [];
    const fed = step.fed || node.type === "Coproc" || (node.type === "Redirected" && isFed(node.redirects));
    forEachChild(node, (child) => {
      const place = node.type === "Pipeline" ? node.commands.findIndex((one) => one === child) : 0;
      const piped = node.type === "Pipeline" && place !== 0;
      const said = node.type === "Pipeline" && place > 0 ? saidBy(node.commands[place - 1]) : undefined;
      const next = { node: child, unordered, fed: fed || piped, said, values: step.values };
      const each = node.type === "For" && child === node.body ? valuesOfLoop(node, loopNames) : undefined;
      if (node.type !== "For" || each === undefined || each.length === 0 || turns + each.length > mostTurns) {
        children.push(next);
        return;
      }
      turns += each.length;
      for (const value of each)
        children.push({ ...next, values: new Map([...(step.values ?? []), [node.name.value, value]]) });
    });
    for (let at = children.length - 1; at >= 0; at--) steps.push(children[at] as Step);
  }
}

const fileTests = /^-[abcdefghkprsuwxGLNOS]$/;

/** The shell itself looks at files: those that a pattern finds, and those that `[[ ]]` tests. */
function readNames(node: Word | TestUnaryExpression, collector: Collector): void {
  if (node.type === "TestUnary") {
    const file = readWord(node.operand);
    if (file.fixed && file.text !== "" && fileTests.test(node.operator)) {
      collector.addFile("names", file.text, file.home === true);
    }
    return;
  }
  const pattern = readWord(node);
  if (pattern.glob !== true) return;
  const literal = pattern.text.slice(0, Math.max(0, pattern.text.search(/[*?[]/)));
  const climbs = /(^|\/)\.\.(\/|$)/.test(pattern.text.slice(literal.length));
  const folder = literal.slice(0, literal.lastIndexOf("/") + 1);
  if (climbs) collector.addFile("names", "..", false);
  if (folder !== "" && !/["'\\]/.test(folder)) collector.addFile("names", folder, pattern.home === true);
}

/** What a command writes into a pipe, where it is `echo` with plain words and does nothing else. */
function saidBy(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== "Command" || node.prefix.length > 0 || node.redirects.length > 0) return undefined;
  const words = [...(node.name === undefined ? [] : [node.name]), ...node.args].map((word) =>
    word.type === "Word" ? readWord(word) : undefined,
  );
  const [program, ...said] = words.map((word) =>
    word?.fixed === true && word.home !== true ? word.text : undefined,
  );
  if (
    program !== "echo" ||
    !said.every((word) => word !== undefined && /^[\w./@%+,:][\w./@%+,:-]*$/.test(word))
  )
    return undefined;
  return `${said.join(" ")}\n`;
}

/** A substitution whose text the parser gave up on. */
function isUnread(node: SyntaxNode): boolean {
  if (node.type === "ArithmeticExpansion") return node.expression === undefined;
  const substitutes =
    node.type === "CommandExpansion" ||
    node.type === "ProcessSubstitution" ||
    node.type === "ArithmeticCommandExpansion";
  return substitutes && node.script === undefined;
}

function readText(node: SyntaxNode, source: string): string {
  return "text" in node && typeof node.text === "string" ? node.text : source.slice(node.pos, node.end);
}
