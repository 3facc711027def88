import { isRecord } from "../../base/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { type ClientPlaces, clientKinds } from "./clients.ts";
import { parseJsonWithComments } from "./json-with-comments.ts";
import { toServer } from "./to-server.ts";

/** A server of a pasted text, in our form. */
export interface PastedServer {
  readonly server: McpServerConfig;
  /** What its owner has to do, or should know: a sentence each. */
  readonly notes: readonly string[];
}

export interface PastedServers {
  readonly servers: readonly PastedServer[];
  /** Entries that can't be used. */
  readonly passedOver: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Reads servers from a text as manuals show it: the configuration of any client in JSON or TOML, the entries of one, or
 * one server. Undefined if no server is in it. Nothing is started.
 */
export async function readPastedServers(
  text: string,
  places: ClientPlaces,
): Promise<PastedServers | undefined> {
  const entries = findEntries(await parse(text), places);
  if (entries === undefined) return undefined;
  const servers: PastedServer[] = [];
  const passedOver: { name: string; reason: string }[] = [];
  for (const [name, raw] of Object.entries(entries)) {
    const converted = await toServer(name, raw, places.home);
    if (typeof converted === "string") passedOver.push({ name, reason: converted });
    else servers.push(converted);
  }
  return { servers, passedOver };
}

/** Manuals often leave out the braces around entries. */
async function parse(text: string): Promise<unknown> {
  const json = parseJsonWithComments(text) ?? parseJsonWithComments(`{${text.trim().replace(/,$/, "")}}`);
  if (json !== undefined) return json;
  const { parse: parseToml } = await import("smol-toml");
  try {
    return parseToml(text);
  } catch {
    return undefined;
  }
}

function findEntries(content: unknown, places: ClientPlaces): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(content)) return undefined;
  if (isServer(content)) {
    const { name } = content as { readonly name?: unknown };
    return { [typeof name === "string" ? name : "server"]: content };
  }
  for (const kind of clientKinds) {
    for (const file of kind.files(places)) {
      const found = file.servers(content);
      if (isRecord(found) && Object.keys(found).length > 0) return found;
    }
  }
  return Object.values(content).some(isServer) ? content : undefined;
}

function isServer(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return ["command", "url", "httpUrl", "serverUrl"].some((key) => {
    const given = value[key];
    return typeof given === "string" || Array.isArray(given) || (key === "command" && isRecord(given));
  });
}
