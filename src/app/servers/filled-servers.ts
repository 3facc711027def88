import { readVariable } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { parseConfig } from "../config/config.ts";
import { listServers } from "../config/merge-configs.ts";
import type { App } from "../create-app.ts";
import { readIfThere } from "../home.ts";
import { configuredServers } from "./configured-servers.ts";

/** Reads servers from a configuration file, with the values of variables filled in. */
export async function readFilledServers(
  file: string,
  names: readonly string[],
): Promise<readonly McpServerConfig[]> {
  const config = await parseConfig(readIfThere(file) ?? "", file, readVariable);
  const { readServers } = await import("../../mcp/index.ts");
  return readServers(listServers(config)).servers.filter(({ name }) => names.includes(name));
}

/** Finds an enabled server in the files as they are now, with the values of variables filled in. */
export async function findUsedServer(
  { home, folder }: Pick<App, "home" | "folder">,
  name: string,
): Promise<McpServerConfig | undefined> {
  const { servers } = await configuredServers(home, folder);
  const used = servers.find(({ server, state }) => server.name === name && state === "enabled");
  return used && (await readFilledServers(used.file, [name]))[0];
}
