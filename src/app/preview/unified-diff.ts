/** Lines of context around a change. */
const contextLines = 3;
/** Changed lines up to which the shortest difference is looked for; of more, all of them are replaced. */
const mostSteps = 300;

/** One line of a difference: kept, removed or added. */
interface DiffLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/**
 * The difference of two texts as a unified diff with three lines of context; empty for equal texts. A text that does
 * not exist is undefined.
 */
export function formatUnifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  const [old, now] = [splitLines(before ?? ""), splitLines(after ?? "")];
  const lines = compareLines(old, now);
  const hunks = findHunks(lines);
  if (hunks.length === 0) return "";
  const head = [
    `--- ${before === undefined ? "/dev/null" : path}`,
    `+++ ${after === undefined ? "/dev/null" : path}`,
  ];
  return `${[...head, ...hunks.flatMap(({ from, to }) => formatHunk(lines, from, to))].join("\n")}\n`;
}

/** A last line without an end is told from one with it. */
function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() as string;
  if (last !== "") lines.push(`${last}\n\\ No newline at end of file`);
  return lines;
}

function compareLines(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const kept = (lines: readonly string[]) => lines.map((text): DiffLine => ({ mark: " ", text }));
  return [
    ...kept(old.slice(0, start)),
    ...findShortest(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...kept(old.slice(old.length - end)),
  ];
}

/** The shortest difference by Myers' algorithm: for each number of changes, the furthest place on each diagonal. */
function findShortest(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const trail: Map<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let changes = 0; changes <= Math.min(old.length + now.length, mostSteps); changes++) {
    trail.push(new Map(furthest));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = goesDown(furthest, diagonal, changes)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return followBack(trail, old, now);
    }
    furthest = new Map(furthest);
  }
  return [
    ...old.map((text): DiffLine => ({ mark: "-", text })),
    ...now.map((text): DiffLine => ({ mark: "+", text })),
  ];
}

function goesDown(furthest: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  if (diagonal === -changes) return true;
  return diagonal !== changes && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1);
}

function followBack(
  trail: readonly ReadonlyMap<number, number>[],
  old: readonly string[],
  now: readonly string[],
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [old.length, now.length];
  for (let changes = trail.length - 1; changes >= 0; changes--) {
    const furthest = trail[changes] as ReadonlyMap<number, number>;
    const diagonal = x - y;
    const before = goesDown(furthest, diagonal, changes) ? diagonal + 1 : diagonal - 1;
    const fromX = changes === 0 ? 0 : (furthest.get(before) ?? 0);
    const fromY = changes === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) {
      lines.push({ mark: " ", text: old[--x] as string });
      y--;
    }
    if (changes === 0) break;
    if (x === fromX) lines.push({ mark: "+", text: now[--y] as string });
    else lines.push({ mark: "-", text: old[--x] as string });
  }
  return lines.reverse();
}

interface Hunk {
  readonly from: number;
  readonly to: number;
}

/** Ranges of lines around changes; those that touch are one. */
function findHunks(lines: readonly DiffLine[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const [at, { mark }] of lines.entries()) {
    if (mark === " ") continue;
    const from = Math.max(0, at - contextLines);
    const to = Math.min(lines.length, at + contextLines + 1);
    const last = hunks.at(-1);
    if (last !== undefined && from <= last.to) hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from, to });
  }
  return hunks;
}

function formatHunk(lines: readonly DiffLine[], from: number, to: number): readonly string[] {
  const count = (part: readonly DiffLine[], mark: "-" | "+") =>
    part.filter((line) => line.mark === " " || line.mark === mark).length;
  const [head, part] = [lines.slice(0, from), lines.slice(from, to)];
  const [oldCount, newCount] = [count(part, "-"), count(part, "+")];
  const oldStart = count(head, "-") + (oldCount === 0 ? 0 : 1);
  const newStart = count(head, "+") + (newCount === 0 ? 0 : 1);
  return [
    `@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`,
    ...part.map(({ mark, text }) => `${mark}${text}`),
  ];
}
