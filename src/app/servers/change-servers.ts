import { join } from "node:path";
import { readVariable } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { parseConfig } from "../config/config.ts";
import { replaceConfig, withDeniedTool, withoutServer, withServer } from "../config/edit-config.ts";
import { configFileName } from "../config/load-config.ts";
import { type Home, readIfThere } from "../home.ts";

/** The configuration file that has servers: the user's own, or that of a project. */
export interface ServerFile {
  readonly home: Home;
  readonly folder: string;
  readonly place: "user" | "project";
}

/** The name under which the definitions of a file's server are kept. */
export function definitionSource({ folder, place }: Omit<ServerFile, "home">, name: string): string {
  return place === "project" ? `mcp:${name}@${folder}` : `mcp:${name}`;
}

/** A change that was written. */
export interface WrittenServers {
  readonly file: string;
  /** Whether the file's servers are used: a project's may be one that the user has not trusted. */
  readonly trusted: boolean;
}

/**
 * Writes servers into a file. A project's file stays trusted if it was, and one that was not there before is.
 *
 * @param replace take the place of one of the same name
 * @throws {ConfigError} if the file can't be used, before or after; it is left as it was.
 */
export async function addServers(
  to: ServerFile,
  servers: readonly McpServerConfig[],
  replace = false,
): Promise<WrittenServers> {
  return change(to, async (text, file) => {
    let next = text;
    for (const server of servers) {
      if (replace) next = (await withoutServer(next, server.name, file)) ?? next;
      next = await withServer(next, server, file);
    }
    await parseConfig(next, file, readVariable);
    return next;
  });
}

/** Removes a server as {@link addServers} adds some; one that is not there is passed over. */
export async function removeServer(from: ServerFile, name: string): Promise<WrittenServers> {
  return change(from, async (text, file) => (await withoutServer(text, name, file)) ?? text);
}

/** Has a file's server never offer a tool again, whatever it says of it; a server that is not there is passed over. */
export async function denyTool(from: ServerFile, server: string, tool: string): Promise<WrittenServers> {
  return change(from, async (text, file) => (await withDeniedTool(text, { server, tool }, file)) ?? text);
}

async function change(
  { home, folder, place }: ServerFile,
  edit: (text: string, file: string) => Promise<string>,
): Promise<WrittenServers> {
  const file = place === "user" ? home.config : join(folder, configFileName);
  const before = readIfThere(file);
  const after = await edit(before ?? "", file);
  const trusted = place === "user" || before === undefined || home.trusts(file, before);
  replaceConfig(file, before, after);
  if (place === "project" && trusted) home.trust(file, after);
  return { file, trusted };
}
