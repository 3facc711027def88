/** One line of a comparison: gone, come, or in both. */
export interface DiffLine {
  readonly kind: "-" | "+" | " ";
  readonly text: string;
}

/** Past it, what is between the lines that both begin and end with counts as replaced. */
const mostCells = 4_000_000;

/** What makes `before` into `after`, line by line, with as few lines changed as can be. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const same = (text: string): DiffLine => ({ kind: " ", text });
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const gone = (text: string): DiffLine => ({ kind: "-", text });
  const come = (text: string): DiffLine => ({ kind: "+", text });
  if (before.length * after.length > mostCells) return [...before.map(gone), ...after.map(come)];
  const lengths = commonLengths(before, after);
  const at = (row: number, column: number) => lengths[row * (after.length + 1) + column] as number;
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const [left, right] = [before[row], after[column]];
    if (left !== undefined && left === right) {
      lines.push({ kind: " ", text: left });
      row++;
      column++;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(gone(left));
      row++;
    } else {
      lines.push(come(right as string));
      column++;
    }
  }
  return lines;
}

/** The number of lines that the rests from each pair of places have in common, in order. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const below = lengths[(row + 1) * width + column] as number;
      const right = lengths[row * width + column + 1] as number;
      lengths[row * width + column] =
        before[row] === after[column]
          ? (lengths[(row + 1) * width + column + 1] as number) + 1
          : Math.max(below, right);
    }
  }
  return lengths;
}
