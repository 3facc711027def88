import { join } from "node:path";
import { withoutUndefined } from "../../base/index.ts";
import { readVariable } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { parseConfig } from "../config/config.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { configFileName } from "../config/load-config.ts";
import { listServers } from "../config/merge-configs.ts";
import { type Home, readIfThere } from "../home.ts";

/** An MCP server as a configuration file has it: variables and secrets by name, not by value. */
export interface ConfiguredServer {
  readonly server: McpServerConfig;
  readonly place: "user" | "project";
  readonly file: string;
  /**
   * `untrusted`: its file is one that the user has not trusted, and it is never started; `shadowed`: the project has
   * another one of its name.
   */
  readonly state: "enabled" | "disabled" | "untrusted" | "shadowed";
}

/** An entry that can't be used. */
export interface ServerFault {
  readonly file: string;
  readonly where: string;
  readonly message: string;
}

export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[];
  readonly faults: readonly ServerFault[];
}

/**
 * The MCP servers of the project's file and of the user's own, whether they are used or not.
 *
 * @throws {ConfigError} if a file is there and can't be used.
 */
export async function configuredServers(home: Home, folder: string): Promise<ConfiguredServers> {
  const projectFile = join(folder, configFileName);
  const project = await read(projectFile);
  const own = await read(home.config);
  const isTrusted = project.text === undefined || home.trusts(projectFile, project.text);
  const inProject = project.servers.map((server): ConfiguredServer => {
    const state = !isTrusted ? "untrusted" : server.enabled === false ? "disabled" : "enabled";
    return { server, place: "project", file: projectFile, state };
  });
  const taken = new Set(isTrusted ? project.servers.map(({ name }) => name) : []);
  const inOwn = own.servers.map((server): ConfiguredServer => {
    const state = taken.has(server.name) ? "shadowed" : server.enabled === false ? "disabled" : "enabled";
    return { server, place: "user", file: home.config, state };
  });
  return { servers: [...inProject, ...inOwn], faults: [...project.faults, ...own.faults] };
}

async function read(file: string) {
  const text = readIfThere(file);
  const parse = async (variable: (name: string) => string): Promise<HaftConfig> =>
    text === undefined ? {} : parseConfig(text, file, variable);
  const { readServers } = await import("../../mcp/index.ts");
  // Whether one can be used is told by what its variables stand for.
  const { servers, problems } = readServers(listServers(await parse((name) => readVariable(name) ?? "")));
  const written = listServers(await parse((name) => `\${${name}}`)) as readonly McpServerConfig[];
  return {
    text,
    servers: servers.map((server) => asWritten(server, written)),
    faults: problems.map((problem) => ({ file, ...problem })),
  };
}

/** What may hold variables, with their names. */
function asWritten(server: McpServerConfig, entries: readonly McpServerConfig[]): McpServerConfig {
  const { command, args, env, cwd, url, headers } = entries.find(({ name }) => name === server.name) ?? {};
  return { ...server, ...withoutUndefined({ command, args, env, cwd, url, headers }) };
}
