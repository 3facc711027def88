import { isRecord } from "../../../base/index.ts";
import type { ContentPath, FormEditor } from "./client-edit.ts";

/** Line-based editor for TOML; it changes only tables with their own header and keys on one line. */
export async function tomlEditor(): Promise<FormEditor> {
  const { parse } = await import("smol-toml");
  return {
    parse: (text) => {
      try {
        return parse(text);
      } catch {
        return undefined;
      }
    },
    set: (text, path, value) => (isRecord(value) ? setTable(text, path, value) : setKey(text, path, value)),
    append: () => {
      throw new TypeError("A list in TOML is not edited");
    },
    remove: (text, path) => removeKey(removeTable(text, path.map(String)), path.map(String)),
  };
}

/** Rewrites a table in place, or appends it if there is none. */
function setTable(text: string, path: ContentPath, value: Readonly<Record<string, unknown>>): string {
  const keys = Object.entries(value);
  const plain = keys
    .filter(([, item]) => !isRecord(item))
    .map(([key, item]) => `${keyText(key)} = ${valueText(item)}`);
  const block = [`[${path.map(keyText).join(".")}]`, ...plain];
  const lines = splitLines(removeTable(text, path));
  const written = joined([...lines, ...(lines.length > 0 && lines.at(-1) !== "" ? [""] : []), ...block]);
  return keys
    .filter(([, item]) => isRecord(item))
    .reduce(
      (sofar, [key, item]) => setTable(sofar, [...path, key], item as Readonly<Record<string, unknown>>),
      written,
    );
}

function setKey(text: string, path: ContentPath, value: unknown): string {
  const table = path.slice(0, -1);
  const key = path.at(-1) as string;
  const line = `${keyText(key)} = ${valueText(value)}`;
  const lines = splitLines(text);
  const section = findSection(lines, table);
  if (section === undefined) {
    return joined([
      ...lines,
      ...(lines.length > 0 && lines.at(-1) !== "" ? [""] : []),
      `[${table.map(keyText).join(".")}]`,
      line,
    ]);
  }
  const at = keyLine(lines, section, key);
  if (at !== undefined) return joined(lines.with(at, line));
  // Comments right above the next header belong to that table.
  let end = section.end;
  while (end > section.start && /^\s*(#|$)/.test(lines[end - 1] as string)) end--;
  const isTight = end < lines.length && (lines[end] as string).trim() !== "";
  return joined(lines.toSpliced(end, 0, line, ...(isTight ? [""] : [])));
}

function removeKey(text: string, path: ContentPath): string {
  const lines = splitLines(text);
  const section = findSection(lines, path.slice(0, -1));
  const at = section && keyLine(lines, section, path.at(-1) as string);
  return at === undefined ? text : joined(lines.toSpliced(at, 1));
}

/** Removes a table and its subtables; comments that belong to the next table stay. */
function removeTable(text: string, path: ContentPath): string {
  let lines = splitLines(text);
  const starts = (header: readonly string[] | undefined) =>
    header !== undefined && path.every((name, index) => header[index] === name);
  for (let at = 0; at < lines.length; at++) {
    if (!starts(readHeader(lines[at] as string))) continue;
    const next = lines.findIndex((line, index) => index > at && readHeader(line) !== undefined);
    let end = next < 0 ? lines.length : next;
    while (next >= 0 && end > at + 1 && (lines[end - 1] as string).trim().startsWith("#")) end--;
    lines = lines.toSpliced(at, end - at);
    at--;
  }
  return lines.length === splitLines(text).length ? text : joined(lines);
}

interface Section {
  readonly start: number;
  readonly end: number;
}

/** Finds the lines of a table; those of the root table come before the first header. */
function findSection(lines: readonly string[], table: ContentPath): Section | undefined {
  const header =
    table.length === 0 ? -1 : lines.findIndex((line) => readHeader(line)?.join("\0") === table.join("\0"));
  if (header < 0 && table.length > 0) return undefined;
  const next = lines.findIndex((line, index) => index > header && readHeader(line) !== undefined);
  return { start: header + 1, end: next < 0 ? lines.length : next };
}

function keyLine(lines: readonly string[], { start, end }: Section, key: string): number | undefined {
  const at = lines.findIndex((line, index) => {
    if (index < start || index >= end) return false;
    const [, bare, quoted] = /^\s*(?:([A-Za-z0-9_-]+)|"([^"]*)")\s*=/.exec(line) ?? [];
    return (bare ?? quoted) === key;
  });
  return at < 0 ? undefined : at;
}

/** Parses the names in a table's header; undefined for any other line. */
function readHeader(line: string): readonly string[] | undefined {
  const [, inner] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? [];
  if (inner === undefined) return /^\s*\[\[/.test(line) ? ["[["] : undefined;
  return Array.from(
    inner.matchAll(/"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g),
    (match) => match[1] ?? match[2] ?? (match[3] as string),
  );
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** Formats a value; strings, numbers, booleans and lists of them are written in TOML as in JSON. */
function valueText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(valueText).join(", ")}]` : JSON.stringify(value);
}
