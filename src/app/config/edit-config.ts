import { randomBytes } from "node:crypto";
import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type * as yamlModule from "yaml";
import type { Document, Pair, Range, YAMLMap, YAMLSeq } from "yaml";
import { canonicalJson, getErrorCode, getErrorMessage, isRecord } from "../../base/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { ConfigError } from "../errors.ts";
import { readIfThere } from "../home.ts";

type Yaml = typeof yamlModule;

/** The keys under which a configuration file may have servers. */
const places = [["mcpServers"], ["tools", "mcpServers"]] as const;

/**
 * The text of a configuration file with one server more, below those it has. Comments, order and all else stay.
 *
 * @throws {ConfigError} CONFIG_SYNTAX; CONFIG_INVALID where it has one of that name, or is written in a way that no program should edit.
 */
export async function withServer(
  text: string,
  { name, ...entry }: McpServerConfig,
  file: string,
): Promise<string> {
  const { document, yaml } = await open(text, file);
  const before: unknown = document.toJS();
  if (serversIn(before).some(([other]) => other === name))
    throw invalid(file, `it has an MCP server "${name}"`, "remove that one first");
  const expected = formatContent(before, (servers) => [...servers, [name, entry]]);
  const spliced = insertBlock(text, document, yaml, yaml.stringify({ [name]: entry }, { lineWidth: 0 }));
  if (spliced !== undefined && says(spliced, expected, yaml)) return spliced;
  const held = document.contents === null ? undefined : document.get("mcpServers", true);
  if (yaml.isSeq(held)) held.add(document.createNode({ name, ...entry }));
  else if (yaml.isMap(held)) {
    if (held.items.length === 0) held.flow = false;
    held.set(document.createNode(name), document.createNode(entry));
  } else if (held === undefined || (yaml.isScalar(held) && held.value === null)) {
    document.set("mcpServers", document.createNode({ [name]: entry }));
  } else throw invalid(file, "its mcpServers is no object or list", "add the server by hand");
  return rewritten(document, file, { expected, yaml });
}

/**
 * The text without one server; undefined where there is none of that name.
 *
 * @throws {ConfigError} as {@link withServer}
 */
export async function withoutServer(text: string, name: string, file: string): Promise<string | undefined> {
  const { document, yaml } = await open(text, file);
  const before: unknown = document.toJS();
  if (!serversIn(before).some(([other]) => other === name)) return undefined;
  const expected = formatContent(before, (servers) => servers.filter(([other]) => other !== name));
  const spliced = cutBlock(text, document, yaml, name);
  if (spliced !== undefined && says(spliced, expected, yaml)) return spliced;
  for (const place of places) {
    const held = document.getIn(place, true);
    if (yaml.isMap(held)) held.delete(name);
    else if (yaml.isSeq(held))
      held.items = held.items.filter((item) => !yaml.isMap(item) || item.get("name") !== name);
    if ((yaml.isMap(held) || yaml.isSeq(held)) && held.items.length === 0) dropEmpty(document, place, held);
  }
  return rewritten(document, file, { expected, yaml });
}

/**
 * The text with a tool on the list of those that a server's owner never offers; undefined where there is no such server.
 *
 * @throws {ConfigError} as {@link withServer}
 */
export async function withDeniedTool(
  text: string,
  { server, tool }: { readonly server: string; readonly tool: string },
  file: string,
): Promise<string | undefined> {
  const { document, yaml } = await open(text, file);
  const before: unknown = document.toJS();
  if (!serversIn(before).some(([other]) => other === server)) return undefined;
  const listDenied = (entry: unknown): readonly unknown[] => {
    const { deny } = isRecord(entry) ? entry : {};
    return [...new Set([...(Array.isArray(deny) ? deny : []), tool])];
  };
  const expected = formatContent(before, (servers) =>
    servers.map(([name, entry]) =>
      name === server && isRecord(entry) ? [name, { ...entry, deny: listDenied(entry) }] : [name, entry],
    ),
  );
  for (const place of places) {
    const held = document.getIn(place, true);
    const entry = yaml.isMap(held)
      ? held.get(server, true)
      : yaml.isSeq(held)
        ? held.items.find((item) => yaml.isMap(item) && item.get("name") === server)
        : undefined;
    const denied = yaml.isMap(entry) ? entry.get("deny", true) : undefined;
    if (yaml.isSeq(denied) && !denied.items.some((item) => yaml.isScalar(item) && item.value === tool))
      denied.add(tool);
    else if (yaml.isMap(entry) && denied === undefined) entry.set("deny", document.createNode([tool]));
  }
  return rewritten(document, file, { expected, yaml });
}

/**
 * Puts a new text in the place of the one that was read, all or nothing. A link stays a link, and the rights of the file
 * stay what they are.
 *
 * @param before what was read; undefined: nothing was there
 * @throws {ConfigError} CONFIG_CHANGED if it is not what is there now; HOME_UNUSABLE
 */
export function replaceConfig(file: string, before: string | undefined, text: string): void {
  if (readIfThere(file) !== before) {
    throw new ConfigError(
      "CONFIG_CHANGED",
      `Cannot write "${file}": it was changed meanwhile, and is left as it is; do it again`,
    );
  }
  const target = before === undefined ? file : realpathSync(file);
  const draft = `${target}.${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777;
    try {
      writeFileSync(draft, text, { mode, flag: "wx" });
      renameSync(draft, target);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (cause) {
    throw new ConfigError(
      "HOME_UNUSABLE",
      `Cannot write "${file}": ${getErrorCode(cause) ?? getErrorMessage(cause)}; make the file and its folder writable`,
      { cause },
    );
  }
}

async function open(text: string, file: string): Promise<{ document: Document; yaml: Yaml }> {
  const yaml = await import("yaml");
  const document: Document = yaml.parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) {
    throw new ConfigError(
      "CONFIG_SYNTAX",
      `Cannot read "${file}": ${fault.message.trimEnd()}; correct the YAML there`,
      { cause: fault },
    );
  }
  if (document.contents !== null && !yaml.isMap(document.contents))
    throw invalid(file, "it is no object", "correct the file");
  return { document, yaml };
}

/** The text with some lines more, where servers are written one below another, or there are none; else undefined. */
function insertBlock(text: string, document: Document, yaml: Yaml, block: string): string | undefined {
  const pair = findPair(document.contents, "mcpServers", yaml);
  const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (pair === undefined) return `${ended}mcpServers:\n${indented(block, 2)}`;
  const held = pair.value;
  if (!yaml.isMap(held) || held.flow === true) return undefined;
  const [first, last] = [held.items[0], held.items.at(-1)];
  const start = findPlace(first?.key)?.[0];
  const end = findPlace(last?.value ?? last?.key)?.[1];
  if (start === undefined || end === undefined) return undefined;
  const at = endOfLine(ended, end);
  return ended.slice(0, at) + indented(block, start - startOfLine(ended, start)) + ended.slice(at);
}

/** The text without the lines of one server, where it has lines of its own; else undefined. */
function cutBlock(text: string, document: Document, yaml: Yaml, name: string): string | undefined {
  const outer = findPair(document.contents, "mcpServers", yaml);
  const held = outer?.value;
  const inner = findPair(held, name, yaml);
  if (!yaml.isMap(held) || held.flow === true) return undefined;
  const own = findPlace(inner?.key)?.[0];
  const key = findPlace(outer?.key)?.[0];
  const end = findPlace(inner?.value ?? inner?.key)?.[1];
  if (own === undefined || key === undefined || end === undefined) return undefined;
  // The last one goes with the key above it, unless somebody wrote something in between.
  const isOnly = held.items.length === 1;
  if (isOnly && text.slice(key, own).includes("#")) return undefined;
  return text.slice(0, startOfLine(text, isOnly ? key : own)) + text.slice(endOfLine(text, end));
}

function findPair(node: unknown, name: string, yaml: Yaml): Pair | undefined {
  if (!yaml.isMap(node)) return undefined;
  return node.items.find(({ key }) => (yaml.isScalar(key) ? key.value : key) === name);
}

function findPlace(node: unknown): Range | undefined {
  return (node as { readonly range?: Range | null } | null | undefined)?.range ?? undefined;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The offset at which the next line begins; one right behind a line's end is there already. */
function endOfLine(text: string, at: number): number {
  if (text[at - 1] === "\n") return at;
  const found = text.indexOf("\n", at);
  return found < 0 ? text.length : found + 1;
}

function indented(block: string, columns: number): string {
  return block.replace(/^(?=.)/gm, " ".repeat(columns));
}

/** A key without anything below it goes too, unless a comment is there. */
function dropEmpty(document: Document, place: readonly string[], held: YAMLMap | YAMLSeq): void {
  if (held.comment || held.commentBefore) held.flow = true;
  else document.deleteIn(place);
}

interface Rewrite {
  /** What {@link formatContent} has to say of the text. */
  readonly expected: string;
  readonly yaml: Yaml;
}

/** The document written anew: what is in it stays, if not each blank. */
function rewritten(document: Document, file: string, { expected, yaml }: Rewrite): string {
  const text = document.toString({ lineWidth: 0 });
  if (says(text, expected, yaml)) return text;
  throw invalid(file, "it is written in a way that can't be edited safely", "edit it by hand");
}

/** Whether a text says what it said before, and the one change. */
function says(text: string, expected: string, yaml: Yaml): boolean {
  const read = yaml.parseDocument(text);
  return read.errors.length === 0 && formatContent(read.toJS(), (servers) => servers) === expected;
}

type Entry = readonly [name: unknown, entry: unknown];

/** All that a file says, with its servers as one list, to be held against another. */
function formatContent(value: unknown, change: (servers: readonly Entry[]) => readonly Entry[]): string {
  const { mcpServers: _servers, tools: given, ...rest } = isRecord(value) ? value : {};
  const { mcpServers: _older, ...tools } = isRecord(given) ? given : {};
  return canonicalJson({ ...rest, tools, servers: change(serversIn(value)) });
}

function serversIn(value: unknown): readonly Entry[] {
  const { mcpServers, tools } = isRecord(value) ? value : {};
  return [...listEntries(isRecord(tools) ? tools["mcpServers"] : undefined), ...listEntries(mcpServers)];
}

function listEntries(servers: unknown): readonly Entry[] {
  if (Array.isArray(servers)) {
    return servers.map((server: unknown) => {
      const { name, ...entry } = isRecord(server) ? server : {};
      return [name, entry];
    });
  }
  return isRecord(servers) ? Object.entries(servers) : [];
}

function invalid(file: string, what: string, remedy: string): ConfigError {
  return new ConfigError("CONFIG_INVALID", `Cannot edit "${file}": ${what}; ${remedy}`);
}
