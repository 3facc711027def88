import { type For, forEachChild, type ParsedScript, type SyntaxNode } from "unbash";
import { type Argument, readWord } from "./word.ts";

/** Maximum number of values, in all loops together, that are analysed one by one. */
const mostValues = 32;

/** A value that the shell neither splits nor expands as a pattern. */
const plainValue = /^[\w./@%+,:-]+$/;
/** What it stands for is looked up where the line would run. */
const plainPattern = /^[\w./@%+,:*?-]+$/;
const ownName = /^[a-z_][a-z0-9_]*$/;

/** Builtins that may set any variable or run code that is not analysed here. */
const setters: ReadonlySet<string> = new Set(
  (
    "read mapfile readarray getopts declare typeset local export readonly unset printf let eval source . wait trap exec alias " +
    "builtin command enable"
  ).split(" "),
);

/** Finds the loop variables that nothing but their loop can set. */
export function findLoopNames(script: ParsedScript): ReadonlySet<string> {
  const loops = new Map<string, number>();
  const set = new Set<string>();
  const steps: SyntaxNode[] = [script];
  for (let node = steps.pop(); node !== undefined; node = steps.pop()) {
    if (node.type === "For") loops.set(node.name.value, (loops.get(node.name.value) ?? 0) + 1);
    if (node.type === "Assignment" && node.name !== undefined) set.add(node.name);
    if (setsSomething(node)) return new Set();
    forEachChild(node, (child) => void steps.push(child));
  }
  return new Set(
    Array.from(loops).flatMap(([name, count]) =>
      count === 1 && ownName.test(name) && !set.has(name) ? [name] : [],
    ),
  );
}

function setsSomething(node: SyntaxNode): boolean {
  if (node.type === "Command") {
    const name = node.name === undefined ? undefined : readWord(node.name);
    return name !== undefined && (!name.fixed || setters.has(name.text));
  }
  if (node.type === "ParameterExpansion")
    return node.operation?.type === "Default" && node.operation.operator.endsWith("=");
  return [
    "Select",
    "Coproc",
    "Function",
    "FileDescriptorVariable",
    "ArithmeticFor",
    "ArithmeticCommand",
  ].includes(node.type);
}

/** Lists the values of a loop's variable; undefined if they cannot be known. */
export function valuesOfLoop(
  { name, wordlist }: For,
  names: ReadonlySet<string>,
): readonly Argument[] | undefined {
  if (!names.has(name.value) || wordlist === undefined || wordlist.length > mostValues) return undefined;
  const words = wordlist.map((word) => readWord(word));
  const isKnown = ({ fixed, glob, home, text }: Argument) =>
    home !== true && (fixed ? plainValue.test(text) : glob === true && plainPattern.test(text));
  return words.every(isKnown)
    ? words.map((word) => (word.fixed ? word : { ...word, each: true }))
    : undefined;
}
