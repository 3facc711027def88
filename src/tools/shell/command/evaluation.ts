import type { SyntaxNode, Word } from "unbash";

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
  switch (node.type) {
    case "ArithmeticWord":
      return number.test(node.value) ? undefined : runsValues;
    case "ParameterExpansion": {
      const { index, operation, prefix } = node;
      if (prefix === "!" || (index !== undefined && !isNumber(index) && !/^[@*]$/.test(index.text)))
        return runsValues;
      if (operation?.type === "Transform") return runsValues;
      if (
        operation?.type === "Slice" &&
        !(isNumber(operation.offset) && (operation.length === undefined || isNumber(operation.length)))
      )
        return runsValues;
      return operation?.type === "Default" &&
        operation.operator.endsWith("=") &&
        !ownName.test(node.parameter)
        ? setsNames
        : undefined;
    }
    case "TestBinary":
      return comparisons.has(node.operator) && !(isNumber(node.left) && isNumber(node.right))
        ? runsValues
        : undefined;
    case "TestUnary":
      return node.operator === "-v" || node.operator === "-R" ? runsValues : undefined;
    case "For":
    case "Select":
    case "Coproc":
      return node.name === undefined || ownName.test(node.name.value) ? undefined : setsNames;
    case "FileDescriptorVariable":
      return ownName.test(node.name) ? undefined : setsNames;
    case "Assignment":
      return node.index === undefined || isNumber(node.index) ? undefined : runsValues;
    default:
      return undefined;
  }
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
