/** A line of a text, without its line feed, and where it stands, from 1. */
export interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** The lines of a text that comes in pieces. Only a line feed ends one; a byte order mark is no part of the first. */
export async function* readLines(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<TextLine> {
  let line = 0;
  let rest: string[] = [];
  const next = (end: string): TextLine => {
    const text = rest.length === 0 ? end : rest.join("") + end;
    rest = [];
    line++;
    return { line, text: line === 1 ? text.replace(/^\uFEFF/u, "") : text };
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      yield next(piece.slice(start, end));
      start = end + 1;
    }
    if (start < piece.length) rest.push(piece.slice(start));
  }
  if (rest.length > 0) yield next("");
}
