import { type DiffLine, diffLines } from "../../base/index.ts";

/** Lines of context around a change. */
const contextLines = 3;

/**
 * Formats the difference of two texts as a unified diff with three lines of context. Empty for equal texts. Undefined
 * stands for a file that does not exist.
 */
export function formatUnifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  const [old, now] = [splitLines(before ?? ""), splitLines(after ?? "")];
  const lines = diffLines(old, now);
  const hunks = findHunks(lines);
  if (hunks.length === 0) return "";
  const head = [
    `--- ${before === undefined ? "/dev/null" : path}`,
    `+++ ${after === undefined ? "/dev/null" : path}`,
  ];
  return `${[...head, ...hunks.flatMap(({ from, to }) => formatHunk(lines, from, to))].join("\n")}\n`;
}

/** Splits a text into lines, and marks a last line without a newline as git does. */
function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() as string;
  if (last !== "") lines.push(`${last}\n\\ No newline at end of file`);
  return lines;
}

interface Hunk {
  readonly from: number;
  readonly to: number;
}

/** Finds the ranges of lines around changes, and joins ranges that touch. */
function findHunks(lines: readonly DiffLine[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const [at, { kind }] of lines.entries()) {
    if (kind === " ") continue;
    const from = Math.max(0, at - contextLines);
    const to = Math.min(lines.length, at + contextLines + 1);
    const last = hunks.at(-1);
    if (last !== undefined && from <= last.to) hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from, to });
  }
  return hunks;
}

function formatHunk(lines: readonly DiffLine[], from: number, to: number): readonly string[] {
  const count = (part: readonly DiffLine[], kind: "-" | "+") =>
    part.filter((line) => line.kind === " " || line.kind === kind).length;
  const [head, part] = [lines.slice(0, from), lines.slice(from, to)];
  const [oldCount, newCount] = [count(part, "-"), count(part, "+")];
  const oldStart = count(head, "-") + (oldCount === 0 ? 0 : 1);
  const newStart = count(head, "+") + (newCount === 0 ? 0 : 1);
  return [
    `@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`,
    ...part.map(({ kind, text }) => `${kind}${text}`),
  ];
}
