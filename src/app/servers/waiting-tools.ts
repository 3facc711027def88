import { type DiffLine, diffLines, isRecord, parseJson } from "../../base/index.ts";
import type { App } from "../create-app.ts";
import { definitionSource, denyTool, type WrittenServers } from "./change-servers.ts";
import type { ConfiguredServer } from "./configured-servers.ts";
import { readFilledServers } from "./filled-servers.ts";

/** A tool definition that waits for its owner to accept it. */
export interface WaitingTool {
  readonly server: string;
  readonly tool: string;
  /** The accepted definition as canonical JSON; undefined for a new tool. */
  readonly before: string | undefined;
  readonly after: string;
  /** Key of the server in the table of definitions. */
  readonly source: string;
}

/** Lists the definitions that servers offer and their owner has neither accepted nor refused. */
export async function listWaitingTools(
  { folder, store }: Pick<App, "folder" | "store">,
  servers: readonly ConfiguredServer[],
): Promise<readonly WaitingTool[]> {
  const { definitions } = await store();
  const { chooseOffer } = await import("../../mcp/index.ts");
  const found: WaitingTool[] = [];
  for (const { server, place } of servers) {
    const source = definitionSource({ folder, place }, server.name);
    const isOffered = chooseOffer(server);
    for (const { name, accepted, offered, goneAt } of await definitions.list("local", source)) {
      if (offered === undefined || goneAt !== undefined || server.pin === false || !isOffered(name)) continue;
      found.push({ server: server.name, tool: name, before: accepted?.text, after: offered.text, source });
    }
  }
  return found;
}

/** Accepts a definition as it was shown. False if the server now offers another one. */
export async function acceptTool(
  { home, store }: Pick<App, "home" | "store">,
  { source, tool, after }: WaitingTool,
  by: string,
): Promise<boolean> {
  const { definitions } = await store();
  const accepted = await definitions.accept("local", source, [{ name: tool, text: after }], by);
  if (accepted.length > 0) home.markReview();
  return accepted.includes(tool);
}

/**
 * Refuses a tool: it goes onto the list `deny` of its server, in the file that has it. No agent gets it again, whatever
 * the server says of it.
 *
 * @throws {ConfigError} if the file can't be edited
 */
export async function refuseTool(
  { home, folder, sources }: Pick<App, "home" | "folder" | "sources">,
  { server, place }: Pick<ConfiguredServer, "server" | "place">,
  tool: string,
): Promise<WrittenServers> {
  const written = await denyTool({ home, folder, place }, server.name, tool);
  const [changed] = await readFilledServers(written.file, [server.name]);
  // A connection keeps the lists that it was made with.
  if (changed !== undefined && (await sources.mcp?.disconnect(server.name)) === true)
    void sources.addServer(changed);
  return written;
}

/** Unchanged lines around a change. */
const contextLines = 3;

/** Compares two definitions line by line. Undefined stands for equal lines that are left out. */
export function diffDefinitions(
  before: string | undefined,
  after: string,
): readonly (DiffLine | undefined)[] {
  return keepContext(diffLines(before === undefined ? [] : formatLines(before), formatLines(after)));
}

/** Keeps changes and the lines around them. Undefined stands for the lines left out. */
function keepContext(lines: readonly DiffLine[]): (DiffLine | undefined)[] {
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ kind }) => kind !== " "),
  );
  return lines.flatMap((line, at) => {
    if (shown[at] === true) return [line];
    return at === 0 || shown[at - 1] === true ? [undefined] : [];
  });
}

const order = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/** Formats a definition as lines: texts as they are, everything else as JSON. */
function formatLines(definition: string): string[] {
  const parsed = parseJson(definition);
  if (!isRecord(parsed)) return definition.split("\n");
  const keys = [...order, ...Object.keys(parsed).filter((key) => key !== "name" && !order.includes(key))];
  return keys.flatMap((key) => {
    const value = parsed[key];
    if (value === undefined) return [];
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return [`${key}:`, ...text.split("\n").map((line) => `  ${line}`)];
  });
}
