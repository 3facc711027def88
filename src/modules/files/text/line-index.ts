import { RecentMap } from "../../../base/index.ts";

/** Lines counted before each piece of a large file: a later window of it is found without reading what lies before. */
export interface LineIndex {
  /** `counts[n]`: newlines before byte `n * pieceBytes`. */
  readonly counts: number[];
  /** All lines, once the whole file was counted. */
  totalLines: number | undefined;
}

export const pieceBytes: number = 256 * 1024;
const maxIndexes = 16;
const indexes = new RecentMap<string, LineIndex>(maxIndexes);

/** The index of a file version; an empty one at first. The 16 last used are kept: some 200 numbers for 50 MB. */
export function getLineIndex(version: string): LineIndex {
  const index = indexes.get(version) ?? { counts: [0], totalLines: undefined };
  indexes.set(version, index);
  return index;
}

/** The last piece, among those counted, that the newline before line `line` cannot lie in front of. */
export function pieceBefore({ counts }: LineIndex, line: number): number {
  let low = 0;
  let high = counts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((counts[middle] as number) < line) low = middle;
    else high = middle - 1;
  }
  return low;
}
