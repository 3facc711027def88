/** The lines of a text that another text does not have, in their order; a line counts as often as it stands there. Empty ones don't count. */
export function linesBeyond(text: string, other: string): string[] {
  const left = new Map<string, number>();
  for (const line of splitLines(other)) left.set(line, (left.get(line) ?? 0) + 1);
  return splitLines(text).filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}

function splitLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== "");
}
