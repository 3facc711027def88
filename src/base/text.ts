/** Cuts `text` to at most `length` UTF-16 units from the start, never inside a surrogate pair. */
export function cutHead(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
}

/** The last at most `length` UTF-16 units, never beginning inside a surrogate pair. */
export function cutTail(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.length - length;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The at most `limit` candidates nearest to `word`: within 40 % edit distance, or sharing a part of the name. */
export function nearestNames(word: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = word.slice(0, 64).toLowerCase();
  const scored: { name: string; score: number }[] = [];
  for (const name of candidates) {
    const other = name.toLowerCase();
    const longest = Math.max(wanted.length, other.length, 1);
    const contained =
      wanted.length > 2 && (other.includes(wanted) || (other.length > 2 && wanted.includes(other)));
    if (!contained && Math.abs(wanted.length - other.length) / longest > 0.4) continue;
    const distance = editDistance(wanted, other) / longest;
    if (distance <= 0.4 || contained) scored.push({ name, score: distance });
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, limit).map((entry) => entry.name);
}

/** Edits from `a` to `b`, two swapped neighbours counting as one (optimal string alignment); O(length of a × length of b). */
export function editDistance(a: string, b: string): number {
  let beforeThat: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(replaced, (previous[column] as number) + 1, (current[column - 1] as number) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforeThat[column - 2] as number) + 1);
      }
      current.push(best);
    }
    beforeThat = previous;
    previous = current;
  }
  return previous[b.length] as number;
}

/** `text` with every run of white space as one space, and none at its ends. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A size for people: `512 B`, `1.4 MB`; powers of 1,000. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (Math.round(value) >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 9.95 ? 1 : 0)} ${units[unit]}`;
}
