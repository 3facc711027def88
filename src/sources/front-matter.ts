import { PlacedDocument, type SyntaxFault } from "./placed-document.ts";

/** A Markdown file that begins with YAML between two lines of `---`. */
export interface FrontMatter {
  readonly fields: PlacedDocument;
  /** What follows, trimmed. */
  readonly body: string;
}

/** Why a text has no front matter that can be read. */
export type FrontMatterFault =
  | { readonly kind: "missing"; readonly message: string }
  | (SyntaxFault & { readonly kind: "syntax" });

const fence = /^---[ \t]*(?:\r?\n|$)/m;

/** Places in `fields` are those of the whole text. No text runs anything: it is data, read by `yaml`. */
export function readFrontMatter(text: string): FrontMatter | FrontMatterFault {
  const start = /^\ufeff?---[ \t]*\r?\n/.exec(text)?.[0];
  if (start === undefined) {
    return {
      kind: "missing",
      message: 'its first line is not "---"; begin the file with the fields between two such lines',
    };
  }
  const rest = text.slice(start.length);
  const end = fence.exec(rest);
  if (end === null) {
    return { kind: "missing", message: 'the line "---" that ends the fields is missing; put it after them' };
  }
  // An empty line in place of the first keeps every place what it is.
  const fields = PlacedDocument.parse(`\n${rest.slice(0, end.index)}`);
  if (!(fields instanceof PlacedDocument)) return { kind: "syntax", ...fields };
  return { fields, body: rest.slice(end.index + end[0].length).trim() };
}
