/** The lines of a text that another text does not have, in their order; a line counts as often as it stands there. Empty ones don't count. */
export function linesBeyond(text: string, other: string): string[] {
  const take = takeLines(other);
  return splitLines(text).filter((line) => !take(line));
}

/** A text without the lines at its end that another text has too, in whatever order. Empty ones go with those before them. */
export function cutSharedEnd(text: string, other: string): string {
  const take = takeLines(other);
  const lines = text.split(/\r?\n/);
  const end = lines.findLastIndex((line) => line !== "" && !take(line)) + 1;
  const isShared = lines.slice(end).some((line) => line !== "");
  return isShared ? lines.slice(0, end).join("\n") : text;
}

/** Says of a line whether the text has it, as many times as it stands there. */
function takeLines(text: string): (line: string) => boolean {
  const left = new Map<string, number>();
  for (const line of splitLines(text)) left.set(line, (left.get(line) ?? 0) + 1);
  return (line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count > 0;
  };
}

function splitLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== "");
}
