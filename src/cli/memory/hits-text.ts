import { cutHead } from "../../base/index.ts";
import type { MemoryEntry, MemoryHits } from "../../modules/memory/index.ts";
import type { Terminal } from "../terminal.ts";
import { wrapText } from "../text/display-width.ts";
import { formatEntryName, listMarks, shown, toMinute } from "./entry-text.ts";

/** Texts longer than this are shown whole by `haft memory show`. */
const longestText = 600;
const longestNeighbour = 200;

/** Each hit with what found it, its neighbours around it; the best first. */
export function renderHits(
  found: MemoryHits,
  { scope, offset }: { readonly scope: string; readonly offset: number },
  terminal: Terminal,
): string {
  const hits = found.hits.map(({ entry, score, match, before, after }, index) => {
    const marks = listMarks(entry, scope).map((mark) =>
      terminal.paint("yellow", ` [${shown(terminal, mark)}]`),
    );
    const facts = `${entry.kind}, ${toMinute(entry.at)}; ${match}, score ${score.toFixed(2)}`;
    const lines = [
      ...before.map((one) => neighbour(one, terminal)),
      textLines(entry, terminal),
      ...after.map((one) => neighbour(one, terminal)),
    ];
    const name = terminal.paint("bold", shown(terminal, formatEntryName(entry)));
    const head = `${offset + index + 1}. ${name}${marks.join("")}  ${terminal.paint("dim", shown(terminal, facts))}`;
    return `${wrapText(head, terminal.width).join("\n   ")}\n${lines.join("")}`;
  });
  return hits.join("\n");
}

/** How it was searched, and how much more there is. */
export function describeSearch({ hits, total, by, time, note }: MemoryHits, offset: number): string {
  const count =
    hits.length === 0 ? "Nothing found" : `${offset + 1} to ${offset + hits.length} of ${total}, found`;
  return [
    `${count} by ${by}`,
    time && `"${time.phrase}" was taken as ${toMinute(time.since)} until ${toMinute(time.until)}`,
    note,
  ]
    .filter(Boolean)
    .join("; ");
}

function textLines({ text, place }: MemoryEntry, terminal: Terminal): string {
  const said = place?.speaker === undefined ? "" : `${place.speaker}: `;
  const cut = text.length <= longestText ? text : `${cutHead(text, longestText)}…`;
  return indented(said + cut.trim(), terminal, (line) => line);
}

function neighbour({ text, place }: MemoryEntry, terminal: Terminal): string {
  const said = place?.speaker === undefined ? "" : `${place.speaker}: `;
  return indented(shown(terminal, said + text, longestNeighbour), terminal, (line) =>
    terminal.paint("dim", line),
  );
}

function indented(text: string, terminal: Terminal, paint: (line: string) => string): string {
  const width = Number.isFinite(terminal.width) ? terminal.width - 3 : terminal.width;
  return wrapText(terminal.foreign(text), width)
    .map((line) => `   ${paint(line)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join("");
}
