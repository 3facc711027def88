import { PlacedDocument, type SyntaxFault } from "./placed-document.ts";

/** A Markdown file that begins with YAML between two lines of `---`. */
export interface FrontMatter {
  readonly fields: PlacedDocument;
  /** What follows, trimmed. */
  readonly body: string;
}

/** Why a text has no front matter that can be read. */
export interface FrontMatterFault extends SyntaxFault {
  readonly code: "FRONT_MATTER_MISSING" | "FRONT_MATTER_SYNTAX";
}

const fence = /^---[ \t]*(?:\r?\n|$)/m;

/** Places in `fields` are those of the whole text. No text runs anything: it is data, read by `yaml`. */
export function readFrontMatter(text: string): FrontMatter | FrontMatterFault {
  const start = /^\ufeff?---[ \t]*\r?\n/.exec(text)?.[0];
  if (start === undefined)
    return missing('its first line is not "---"; begin the file with the fields between two such lines');
  const rest = text.slice(start.length);
  const end = fence.exec(rest);
  if (end === null) return missing('the line "---" that ends the fields is missing; put it after them');
  // An empty line in place of the first keeps every place what it is.
  const fields = PlacedDocument.parse(`\n${rest.slice(0, end.index)}`);
  if (!(fields instanceof PlacedDocument)) {
    const message = `its fields are no YAML: ${fields.message}; correct them there`;
    return { code: "FRONT_MATTER_SYNTAX", message, place: fields.place };
  }
  return { fields, body: rest.slice(end.index + end[0].length).trim() };
}

function missing(message: string): FrontMatterFault {
  return { code: "FRONT_MATTER_MISSING", message, place: { line: 1, column: 1 } };
}
