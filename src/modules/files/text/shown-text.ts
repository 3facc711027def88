import { showInvisible } from "../../../base/index.ts";

/** A name in a list of one a line: what could break the line, or hide, is written out. */
export function showName(name: string): string {
  return showInvisible(name).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** What a tool says beside its result, in brackets at the end. */
export function withNotes(text: string, notes: readonly string[]): string {
  if (notes.length === 0) return text;
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${separator}[${notes.join("; ")}]`;
}

/** A time for people and models: `2026-11-22 01:14:05Z`. */
export function showTime(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
