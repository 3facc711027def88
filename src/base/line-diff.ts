/** One line of a comparison: removed, added, or in both texts. */
export interface DiffLine {
  readonly kind: "-" | "+" | " ";
  readonly text: string;
}

/**
 * Changed lines up to which the shortest difference is found. Beyond it, everything between the common beginning and end
 * is replaced: the search takes memory for half its square of numbers.
 */
const maxChanges = 2800;

/** The shortest list of lines removed and added that makes `after` of `before`, with the lines that both have. */
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
  return [
    ...before.slice(0, start).map(toSame),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(toSame),
  ];
}

const toSame = (text: string): DiffLine => ({ kind: " ", text });
const toRemoved = (text: string): DiffLine => ({ kind: "-", text });
const toAdded = (text: string): DiffLine => ({ kind: "+", text });

/**
 * Myers' algorithm. Row `n` of `rows` holds how far `n` changes lead into `before` on each diagonal: place `i` is that on
 * which `before` is `2 * i - n` lines ahead of `after`.
 */
function diffMiddle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const rows: Int32Array[] = [];
  for (let changes = 0; changes <= Math.min(before.length + after.length, maxChanges); changes++) {
    const row = new Int32Array(changes + 1);
    for (let place = 0; place <= changes; place++) {
      let x = changes === 0 ? 0 : step(rows[changes - 1] as Int32Array, place).x;
      const ahead = 2 * place - changes;
      while (x < before.length && x - ahead < after.length && before[x] === after[x - ahead]) x++;
      row[place] = x;
      if (x >= before.length && x - ahead >= after.length) return followBack(rows, before, after);
    }
    rows.push(row);
  }
  return [...before.map(toRemoved), ...after.map(toAdded)];
}

/** The change that leads furthest to a place of the row after `row`, and how far into `before` it leads. */
function step(row: Int32Array, place: number): { readonly x: number; readonly isAdded: boolean } {
  const removing = place === 0 ? -1 : (row[place - 1] as number) + 1;
  const adding = place === row.length ? -1 : (row[place] as number);
  return adding >= removing ? { x: adding, isAdded: true } : { x: removing, isAdded: false };
}

function followBack(
  rows: readonly Int32Array[],
  before: readonly string[],
  after: readonly string[],
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (let changes = rows.length; changes > 0; changes--) {
    const { x: changed, isAdded } = step(rows[changes - 1] as Int32Array, (x - y + changes) / 2);
    for (; x > changed; x--, y--) lines.push(toSame(before[x - 1] as string));
    lines.push(isAdded ? toAdded(after[--y] as string) : toRemoved(before[--x] as string));
  }
  for (; x > 0; x--) lines.push(toSame(before[x - 1] as string));
  return lines.reverse();
}
