import { homedir } from "node:os";
import { readVariable } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { readPastedServers } from "../client-configs/pasted-servers.ts";
import type { App } from "../create-app.ts";
import { addServers, definitionSource, type ServerFile } from "./change-servers.ts";
import { configuredServers } from "./configured-servers.ts";
import { readFilledServers } from "./filled-servers.ts";
import { missingNeeds, type ServerNeeds } from "./known-servers.ts";
import { findSecrets, hasBareSecret, moveSecrets } from "./server-secrets.ts";
import { shownServer } from "./shown-server.ts";

/** A server of a pasted text, with all that its owner agrees to by adding it. */
export interface OfferedServer {
  /** The server as haft configures it, with `…` in place of values that look like secrets. */
  readonly server: McpServerConfig;
  readonly notes: readonly string[];
  /** Hosts and paths that servers of its kind are known to need, as far as the text does not allow them. */
  readonly needs: ServerNeeds | undefined;
  /** Names of the variables and headers whose values go into the secret store. */
  readonly secrets: readonly string[];
  /** Whether its arguments or its URL contain a secret, which other programs on the machine can see. */
  readonly hasBareSecret: boolean;
  /** Whether the user's file already has a server of this name. */
  readonly isTaken: boolean;
}

export interface OfferedServers {
  readonly servers: readonly OfferedServer[];
  readonly passedOver: readonly { readonly name: string; readonly reason: string }[];
}

type Parts = Pick<App, "folder" | "home" | "context" | "secrets" | "store" | "sources">;

/** Finds the servers in a pasted text, and changes nothing. Undefined if there are none. */
export async function offerPastedServers(app: Parts, text: string): Promise<OfferedServers | undefined> {
  const pasted = await readPasted(app, text);
  if (pasted === undefined) return undefined;
  const { servers, faults } = await configuredServers(app.home, app.folder);
  const taken = new Set([
    ...servers.flatMap(({ place, server }) => (place === "user" ? [server.name] : [])),
    ...faults.map(({ where }) => where),
  ]);
  return {
    servers: pasted.servers.map(({ server, notes }) => ({
      server: shownServer(server),
      notes,
      needs: missingNeeds(server, app.folder),
      secrets: findSecrets(server).map(({ key }) => key),
      hasBareSecret: hasBareSecret(server),
      isTaken: taken.has(server.name),
    })),
    passedOver: pasted.passedOver,
  };
}

/** The servers that were added, and where. */
export interface AddedServers {
  readonly file: string;
  readonly names: readonly string[];
  /** Names under which values were put into the secret store. */
  readonly secrets: readonly string[];
}

/**
 * Adds servers of a pasted text to the user's own file, and connects to them. Values that look like secrets go into the
 * secret store. Undefined if the text does not have all the named servers.
 *
 * @param names The servers to add. Those in `withNeeds` also get {@link OfferedServer.needs}.
 * @throws {ConfigError} if the file can't be used, or has one of these names
 */
export async function addPastedServers(
  app: Parts,
  text: string,
  { names, withNeeds = [] }: { readonly names: readonly string[]; readonly withNeeds?: readonly string[] },
): Promise<AddedServers | undefined> {
  const pasted = (await readPasted(app, text))?.servers.map(({ server }) => server) ?? [];
  const chosen = pasted.filter(({ name }) => names.includes(name));
  if (names.some((name) => !chosen.some((server) => server.name === name))) return undefined;
  const scope = app.context.scope ?? "local";
  const to: ServerFile = { home: app.home, folder: app.folder, place: "user" };
  const stored = (await app.secrets.list(scope)).map(({ name }) => name);
  const secrets: { readonly name: string; readonly value: string }[] = [];
  const servers = chosen.map((one) => {
    const needs = withNeeds.includes(one.name) ? missingNeeds(one, app.folder) : undefined;
    const taken = [...stored, ...secrets.map(({ name }) => name)];
    const moved = moveSecrets(givenNeeds(one, needs), findSecrets(one), taken);
    secrets.push(...moved.secrets);
    return moved.server;
  });
  const { file } = await addServers(to, servers);
  for (const { name, value } of secrets) await app.secrets.set(scope, name, value);
  const { definitions } = await app.store();
  // Tools accepted for an earlier server of this name do not count for this one.
  for (const { name } of servers) await definitions.forget("local", definitionSource(to, name));
  const filled = await readFilledServers(file, names);
  for (const server of filled) void app.sources.addServer(server);
  return { file, names, secrets: secrets.map(({ name }) => name) };
}

function readPasted({ folder }: Parts, text: string) {
  return readPastedServers(text, {
    home: homedir(),
    folder,
    platform: process.platform,
    variable: readVariable,
  });
}

function givenNeeds(server: McpServerConfig, needs: ServerNeeds | undefined): McpServerConfig {
  if (needs === undefined) return server;
  return {
    ...server,
    ...(needs.hosts.length > 0 && { hosts: [...(server.hosts ?? []), ...needs.hosts] }),
    ...(needs.paths.length > 0 && { paths: [...(server.paths ?? []), ...needs.paths] }),
  };
}
