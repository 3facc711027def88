import { basename, dirname, extname } from "node:path";
import { nearestNames } from "../../base/index.ts";
import type { CallContext, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import type { McpConnections, ServerHealth } from "../../mcp/index.ts";
import { profiles } from "../../modules/module.ts";
import type { Profile } from "../config/config-types.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { listServers } from "../config/merge-configs.ts";
import { listToolNames } from "../deferred-tools.ts";
import { families, hasModel, isOfProfile } from "../own-tools.ts";
import type { Sources } from "../sources/open-sources.ts";

/** Something that would bring a tool of a name, and why it does not. */
export interface Whereabouts {
  /** `name taken`, `profile`, `model`, `server`, or the code of a {@link SourceProblem}. */
  readonly kind: string;
  /** The file, the server or the source. */
  readonly where: string;
  readonly message: string;
  readonly remedy?: string;
}

type Servers = Pick<McpConnections, "health" | "listTools">;

/** What is looked through. */
export interface Installation {
  readonly registry: Pick<ToolRegistry, "get" | "list" | "skipped">;
  readonly executor: Pick<ToolExecutor, "toolset">;
  readonly sources: Pick<Sources, "problems"> & { readonly mcp: Servers | undefined };
  readonly loaded: Pick<LoadedConfig, "config">;
  readonly profile: Profile;
}

/** The names that come closest among the tools that this caller can call. */
export function nearestUsable({ executor }: Installation, name: string, context: CallContext): string[] {
  const usable = executor.toolset(context).usable();
  return nearestNames(
    name,
    usable.map((tool) => tool.name),
  );
}

/** The sources that would bring a name, of an installation that has settled; also what else brings a name that there is. */
export async function findWhereabouts(
  installation: Installation,
  name: string,
): Promise<readonly Whereabouts[]> {
  const { registry, sources } = installation;
  const isThere = registry.get(name) !== undefined;
  return [
    ...listSkipped(installation, name),
    ...(isThere ? [] : profilesWith(installation, name)),
    ...(isThere ? [] : listModelNeeds(installation, name)),
    ...(isThere || sources.mcp === undefined ? [] : await serversWith(installation, sources.mcp, name)),
    ...sources
      .problems()
      .filter(({ where, message }) => isAbout(where, message, name))
      .map(({ code, where, line, message }) => ({
        kind: code,
        where: line === undefined ? where : `${where}:${line}`,
        message,
      })),
  ];
}

function listSkipped({ registry }: Installation, name: string): Whereabouts[] {
  return registry
    .skipped()
    .filter((one) => one.name === name)
    .map(({ source, reason }) => ({
      kind: "name taken",
      where: source,
      message: `${source} brings a tool of this name, which is passed over: ${reason}`,
    }));
}

function profilesWith({ profile }: Installation, name: string): Whereabouts[] {
  const having = families.filter(
    (family) => family.isChosen === undefined && listToolNames(family.name).includes(name),
  );
  const others = profiles.filter((other) => having.some((family) => isOfProfile(family, other)));
  if (others.includes(profile)) return [];
  return others.map((other) => ({
    kind: "profile",
    where: `profile ${other}`,
    message: `it is a tool of the profile ${other}, and this is ${profile}`,
    remedy: `set tools.profile to ${other} in haft.config.yml, or say --profile ${other}`,
  }));
}

function listModelNeeds({ loaded }: Installation, name: string): Whereabouts[] {
  const needs = families.some(
    (family) => family.needsModel === true && listToolNames(family.name).includes(name),
  );
  if (!needs || hasModel(loaded.config)) return [];
  return [
    {
      kind: "model",
      where: "models",
      message: "it is for agents that work here, and no model is configured for them",
      remedy: "name one under `models` in haft.config.yml (`haft help models`)",
    },
  ];
}

async function serversWith({ loaded }: Installation, mcp: Servers, name: string): Promise<Whereabouts[]> {
  const { readServers, toAlias } = await import("../../mcp/index.ts");
  const renames = new Map(
    readServers(listServers(loaded.config)).servers.map((server) => [server.name, server.rename ?? {}]),
  );
  return mcp.health().flatMap((health): Whereabouts[] => {
    const { server, status, quarantined } = health;
    const alias = (own: string) => toAlias(server, renames.get(server)?.[own] ?? own);
    const waiting = quarantined.find((one) => alias(one.name) === name || one.name === name);
    const where = `MCP server ${server}`;
    if (waiting !== undefined) {
      const message = `the MCP server "${server}" offers it, and it waits to be looked at: ${waiting.reason}`;
      return [{ kind: "server", where, message, remedy: `haft mcp review ${server}` }];
    }
    const offered = status === "disabled" ? [] : mcp.listTools(server).map((tool) => tool.name);
    if (offered.some((own) => alias(own) === name)) {
      const message = `the MCP server "${server}" has it, and its allow and deny lists leave it out`;
      return [{ kind: "server", where, message, remedy: `change allow or deny of mcpServers.${server}` }];
    }
    return name.startsWith(`${server.replace(/[^A-Za-z0-9_-]/g, "_")}__`)
      ? [ofServer(health, offered.map(alias), name)]
      : [];
  });
}

function ofServer(
  { server, status, reason }: ServerHealth,
  offered: readonly string[],
  name: string,
): Whereabouts {
  const where = `MCP server ${server}`;
  if (status === "disabled") {
    const message = `it would come from the MCP server "${server}", which is turned off`;
    return { kind: "server", where, message, remedy: `set enabled of mcpServers.${server} to true` };
  }
  if (offered.length === 0) {
    const why = reason === undefined ? status : `${status}: ${reason}`;
    const message = `it would come from the MCP server "${server}", which is ${why}`;
    return { kind: "server", where, message, remedy: `haft mcp status ${server}` };
  }
  const nearest = nearestNames(name, offered);
  const hint = nearest.length === 0 ? "" : `; it has ${nearest.join(", ")}`;
  return { kind: "server", where, message: `the MCP server "${server}" has no tool of this name${hint}` };
}

/** A file that bears the name, or is in a folder that does, or a message that quotes it. */
function isAbout(where: string, message: string, name: string): boolean {
  return (
    basename(where, extname(where)) === name ||
    basename(dirname(where)) === name ||
    message.includes(`"${name}"`)
  );
}
