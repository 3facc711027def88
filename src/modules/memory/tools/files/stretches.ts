import { createHash } from "node:crypto";
import { cutHead, oneLine } from "../../../../base/index.ts";
import type { Trust } from "../../../../kernel/index.ts";
import { readFields } from "./front-matter.ts";
import { isMarked, splitMemoryText } from "./memory-text.ts";

/** A stretch of a memory file, as it is found by the search. */
export interface Stretch {
  /** The same for as long as the stretch, and what is said of it, stays the same. */
  readonly key: string;
  readonly text: string;
  /** The headings that it stands under, and the summary of the file with the first. */
  readonly title: string;
  readonly names: readonly string[];
  readonly tags: readonly string[];
  readonly trust: Trust;
}

const maxChars = 1500;
const maxTitleChars = 300;
/** A file of headings alone is cut by size. */
const maxStretches = 1000;

interface Piece {
  readonly headings: readonly string[];
  readonly text: string;
}

/** Cuts the text of a memory file by its headings, and within them by paragraphs, into stretches of up to about 1,500 characters. */
export function splitStretches(text: string, path: string): readonly Stretch[] {
  const { frontMatter, body, summary } = splitMemoryText(text);
  const fields = readFields(frontMatter);
  const sections = splitSections(body);
  let pieces = sections.flatMap(({ headings, text: section }) =>
    splitText(section).map((part) => ({ headings, text: part })),
  );
  if (pieces.length > maxStretches) pieces = splitText(body).map((part) => ({ headings: [], text: part }));
  if (pieces.length === 0) pieces = [{ headings: [], text: summary }];
  const trust = isMarked(text) ? "untrusted" : "trusted";
  const top = fields.title ?? path;
  const seen = new Map<string, number>();
  return pieces
    .filter((piece) => piece.text !== "")
    .map((piece, at) => {
      const title = findTitle(piece, { top, summary: at === 0 ? summary : "" });
      const { names, tags } = fields;
      const found = { text: piece.text, title, names, tags, trust } as const;
      const hash = hashStretch(found);
      const before = seen.get(hash) ?? 0;
      seen.set(hash, before + 1);
      return { key: before === 0 ? hash : `${hash}-${before + 1}`, ...found };
    });
}

function findTitle(
  { headings }: Piece,
  { top, summary }: { readonly top: string; readonly summary: string },
): string {
  const words = headings.length === 0 ? top : headings.join(" › ");
  const title = summary === "" ? words : `${words}: ${summary}`;
  return cutHead(oneLine(title.replace(/\p{Cc}/gu, " ")), maxTitleChars);
}

function hashStretch(stretch: Omit<Stretch, "key">): string {
  return createHash("sha256").update(JSON.stringify(stretch)).digest("hex").slice(0, 16);
}

/** The text under each heading, with those above it. A heading with nothing under it is in the titles of those below. */
function splitSections(body: string): Piece[] {
  const sections: Piece[] = [];
  const path: { readonly level: number; readonly text: string }[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const close = () => {
    const text = lines.join("\n").trim();
    const isBare = /^#{1,6}[ \t][^\n]*$/.test(text);
    if (text !== "" && !isBare) sections.push({ headings: path.map((one) => one.text), text });
    lines = [];
  };
  for (const line of body.split("\n")) {
    const opened = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (opened !== undefined) fence = fence === undefined ? opened : fence === opened ? undefined : fence;
    const level = fence === undefined ? (/^(#{1,6})[ \t]/.exec(line)?.[1]?.length ?? 0) : 0;
    if (level > 0) {
      close();
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      const text = cutHead(oneLine(line.slice(level)), maxTitleChars).replace(/[ #]+$/, "");
      if (text !== "") path.push({ level, text });
    }
    lines.push(line);
  }
  close();
  if (sections.length === 0 && body.trim() !== "") return [{ headings: [], text: body.trim() }];
  return sections;
}

/** Whole paragraphs together, as many as fit; a longer one is cut at line ends, and a longer line anywhere. */
function splitText(text: string): string[] {
  if (text.length <= maxChars) return text.trim() === "" ? [] : [text.trim()];
  const parts: string[] = [];
  let part = "";
  for (const paragraph of text.split(/\n[ \t]*\n/)) {
    for (const [at, piece] of cutLines(paragraph).entries()) {
      const joint = at === 0 ? "\n\n" : "\n";
      if (part !== "" && part.length + joint.length + piece.length > maxChars) {
        parts.push(part);
        part = "";
      }
      part = part === "" ? piece : part + joint + piece;
    }
  }
  parts.push(part);
  return parts.map((one) => one.trim()).filter((one) => one !== "");
}

function cutLines(paragraph: string): string[] {
  if (paragraph.length <= maxChars) return [paragraph];
  const pieces: string[] = [];
  for (let line of paragraph.split("\n")) {
    for (; line.length > maxChars; line = line.slice(pieces.at(-1)?.length))
      pieces.push(cutHead(line, maxChars));
    pieces.push(line);
  }
  return pieces;
}
