import type { Document, Pair, Range } from "yaml";
import { canonicalJson, isRecord } from "../../base/index.ts";
import { ConfigError } from "../errors.ts";

/** The place of the rules in the text of a file. */
interface Place {
  /** Offsets of the line with the key `permissions`, and of the line below it. */
  readonly key: number;
  readonly below: number;
  /** Offset of the end of the last line of the rules. */
  readonly end: number;
  /** Text of the rules, without their common indentation. */
  readonly text: string;
  /** Whether the rules begin below the line of the key. */
  readonly isBlock: boolean;
}

/**
 * Reads the rules of a configuration file as they are written, with comments. Empty if there are none.
 *
 * @throws {ConfigError} CONFIG_SYNTAX
 */
export async function readPermissionsText(text: string, file: string): Promise<string> {
  return findPlace(text, await open(text, file))?.text ?? "";
}

/**
 * Replaces the rules in the text of a configuration file, and keeps everything else as it is.
 *
 * @param rules YAML of a list of rules, or an empty text.
 * @throws {ConfigError} CONFIG_SYNTAX; CONFIG_INVALID if `rules` is no list, or if the file is written in a way that
 * can't be edited safely.
 */
export async function withPermissions(text: string, rules: string, file: string): Promise<string> {
  const document = await open(text, file);
  const wanted: unknown = (await open(rules, "the rules")).toJS() ?? [];
  if (!Array.isArray(wanted)) throw invalid(file, "the rules are no list", "begin each rule with a dash");
  const place = findPlace(text, document);
  const block = rules.trim() === "" ? "" : `${rules.trimEnd()}\n`.replace(/^(?=.)/gm, "  ");
  const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const next = place === undefined ? append(ended, block) : replace(ended, place, block);
  const after: unknown = (await open(next, file)).toJS();
  const { permissions = [] } = isRecord(after) ? after : {};
  const isSafe =
    canonicalJson(permissions ?? []) === canonicalJson(wanted) &&
    describeRest(document.toJS()) === describeRest(after);
  if (isSafe) return next;
  throw invalid(
    file,
    "its permissions are written in a way that can't be edited safely",
    "edit them by hand",
  );
}

async function open(text: string, file: string): Promise<Document> {
  const { parseDocument } = await import("yaml");
  const document: Document = parseDocument(text);
  const [fault] = document.errors;
  if (fault === undefined) return document;
  throw new ConfigError(
    "CONFIG_SYNTAX",
    `Cannot read "${file}": ${fault.message.trimEnd()}; correct the YAML there`,
    { cause: fault },
  );
}

function append(text: string, block: string): string {
  return block === "" ? text : `${text}permissions:\n${block}`;
}

function replace(text: string, { key, below, end, isBlock }: Place, block: string): string {
  if (block === "") return text.slice(0, key) + text.slice(end);
  const head = isBlock ? text.slice(key, below) : "permissions:\n";
  return text.slice(0, key) + head + block + text.slice(end);
}

function findPlace(text: string, document: Document): Place | undefined {
  const contents = document.contents as { readonly items?: readonly Pair[] } | null;
  const pair = contents?.items?.find(({ key }) => String(key) === "permissions");
  const [key] = readRange(pair?.key) ?? [];
  const range = readRange(pair?.value);
  if (key === undefined || range === undefined) return undefined;
  const line = text.lastIndexOf("\n", key - 1) + 1;
  const below = endOfLine(text, key);
  const isBlock = range[0] >= below;
  const end = isBlock ? endOfLine(text, trimmedEnd(text, below, range[2])) : endOfLine(text, range[1]);
  const written = isBlock ? dedent(text.slice(below, end)) : text.slice(range[0], range[1]);
  return { key: line, below, end, text: written, isBlock };
}

function readRange(node: unknown): Range | undefined {
  return (node as { readonly range?: Range | null } | null | undefined)?.range ?? undefined;
}

/** Offset of the end of the text in a range, without trailing blank lines. */
function trimmedEnd(text: string, from: number, to: number): number {
  return from + text.slice(from, to).trimEnd().length;
}

function endOfLine(text: string, at: number): number {
  const found = text.indexOf("\n", at);
  return found < 0 ? text.length : found + 1;
}

function dedent(block: string): string {
  const lines = block.split("\n");
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const depth = Math.min(...depths);
  return lines.map((line) => (line.trim() === "" ? "" : line.slice(depth))).join("\n");
}

/** Everything in a configuration except its rules, as canonical JSON. */
function describeRest(value: unknown): string {
  const { permissions: _rules, ...rest } = isRecord(value) ? value : {};
  return canonicalJson(rest);
}

function invalid(file: string, what: string, remedy: string): ConfigError {
  return new ConfigError("CONFIG_INVALID", `Cannot edit "${file}": ${what}; ${remedy}`);
}
