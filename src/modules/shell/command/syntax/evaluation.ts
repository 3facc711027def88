import type { ParameterExpansionPart, SyntaxNode, Word } from "unbash";

const number = /^[+-]?(0[xX][0-9a-fA-F]+|[0-9]+)?$/;
/** Variables of a script's own; names in capitals may change what programs do. */
const ownName = /^[a-z_][a-z0-9_]*$/;
const comparisons = new Set(["-eq", "-ne", "-lt", "-gt", "-le", "-ge"]);

const runsValues = "values of variables are evaluated, and may hold commands";
const setsNames = "it sets a variable that may change what programs do";

/**
 * Why a construct may run what its text does not show, or change what later names mean. Arithmetic evaluates the
 * values of names, and the subscripts in them, as code.
 */
export function evaluates(node: SyntaxNode): string | undefined {
  if (node.type === "ArithmeticWord") return number.test(node.value) ? undefined : runsValues;
  if (node.type === "ParameterExpansion") return evaluatesParameter(node);
  if (node.type === "TestBinary") {
    return comparisons.has(node.operator) && !(isNumber(node.left) && isNumber(node.right))
      ? runsValues
      : undefined;
  }
  if (node.type === "TestUnary") return /^-[vR]$/.test(node.operator) ? runsValues : undefined;
  if (node.type === "For" || node.type === "Select" || node.type === "Coproc") {
    return node.name === undefined || ownName.test(node.name.value) ? undefined : setsNames;
  }
  if (node.type === "FileDescriptorVariable") return ownName.test(node.name) ? undefined : setsNames;
  if (node.type === "ArrayValue") return node.elements.some(isIndexed) ? runsValues : undefined;
  if (node.type === "Assignment")
    return node.index === undefined || isNumber(node.index) ? undefined : runsValues;
  return undefined;
}

function evaluatesParameter({
  index,
  operation,
  prefix,
  parameter,
}: ParameterExpansionPart): string | undefined {
  if (prefix === "!") return runsValues;
  if (index !== undefined && !isNumber(index) && !/^[@*]$/.test(index.text)) return runsValues;
  if (operation?.type === "Transform") return runsValues;
  if (operation?.type === "Slice") {
    const { offset, length } = operation;
    return isNumber(offset) && (length === undefined || isNumber(length)) ? undefined : runsValues;
  }
  const assigns = operation?.type === "Default" && operation.operator.endsWith("=");
  return assigns && !ownName.test(parameter) ? setsNames : undefined;
}

/** `[key]=value`, where the key is no number. */
function isIndexed({ text }: Word): boolean {
  const [, key] = /^\[(.*?)\]\+?=/s.exec(text) ?? [];
  return key !== undefined && !number.test(key);
}

function isNumber(word: Word): boolean {
  return word.parts === undefined && number.test(word.value.trim());
}

/** A bare assignment to this name may change what later programs of the line do. */
export function changesPrograms(name: string): boolean {
  return !ownName.test(name);
}

/** Variables that only change how a program writes what it says. */
export function changesLooks(name: string): boolean {
  return /^(LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|NODE_ENV|TERM|COLUMNS|LINES)$/.test(name);
}
