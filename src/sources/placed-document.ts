import {
  type Document,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from "yaml";

/** A place in a text; line and column count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A path into a document: keys and indexes. */
export type DocumentPath = readonly (string | number)[];

export interface SyntaxFault {
  readonly place: Place;
  readonly message: string;
}

/** What a YAML or JSON text says, and where in the text it says each thing. */
export class PlacedDocument {
  readonly value: unknown;
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  readonly #text: string;

  private constructor(document: Document.Parsed, lines: LineCounter, text: string) {
    this.#document = document;
    this.#lines = lines;
    this.#text = text;
    this.value = document.toJS({ maxAliasCount: 0 });
  }

  /** YAML 1.2, of which JSON is a part; no tag makes anything but data. */
  static parse(text: string): PlacedDocument | SyntaxFault {
    const lines = new LineCounter();
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      schema: "core",
      logLevel: "silent",
    });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined)
      return { place: placeAt(lines, fault.pos[0]), message: oneSentence(fault.message) };
    const alias = firstAlias(document);
    if (alias !== undefined)
      return { place: placeAt(lines, alias), message: "it has an alias (*name); write the value out" };
    return new PlacedDocument(document, lines, text);
  }

  /** The place of the value; of what is not there, the place of the nearest thing around it. */
  findPlace(path: DocumentPath): Place {
    for (let length = path.length; length > 0; length--) {
      const start = nodeAt(this.#document, path.slice(0, length))?.range?.[0];
      if (start !== undefined) return placeAt(this.#lines, start);
    }
    return placeAt(this.#lines, this.#document.contents?.range[0] ?? 0);
  }

  /** The place of the key that leads to the value. */
  placeOfKey(path: DocumentPath): Place {
    const around = nodeAt(this.#document, path.slice(0, -1));
    const pairs: readonly unknown[] = isMap(around) ? around.items : [];
    const pair = pairs.find(
      (one): one is Pair<Node, Node> => isPair(one) && isScalar(one.key) && one.key.value === path.at(-1),
    );
    const start = pair?.key.range?.[0];
    return start === undefined ? this.findPlace(path) : placeAt(this.#lines, start);
  }

  /**
   * The place of a position within a text value: exact where the value is written as it is, else its
   * beginning.
   */
  placeWithin(path: DocumentPath, offset: number): Place {
    const node = nodeAt(this.#document, path);
    if (!isScalar(node) || typeof node.value !== "string" || !node.range) return this.findPlace(path);
    const [start, end] = node.range;
    const at = this.#text.slice(start, end).indexOf(node.value);
    return placeAt(this.#lines, at < 0 ? start : start + at + offset);
  }
}

/** Aliases may make a small text a huge value, and no tool needs one. */
function firstAlias(document: Document.Parsed): number | undefined {
  let found: number | undefined;
  visit(document, {
    Alias(_key, { range }) {
      found = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}

function nodeAt(document: Document.Parsed, path: DocumentPath): Node | undefined {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  return node === null || typeof node !== "object" ? undefined : (node as Node);
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function oneSentence(message: string): string {
  return message.replace(/\s+/g, " ").replace(/[.\s]+$/, "");
}
