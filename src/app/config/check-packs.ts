import { ConfigError } from "../errors.ts";
import { packPrefix } from "../packs/pack-prefix.ts";
import type { HaftConfig } from "./config-types.ts";

/**
 * Returns the configuration if every pack that its lists of tools name is there.
 *
 * @throws {ConfigError} CONFIG_INVALID
 */
export async function checkPacks(config: HaftConfig, file: string): Promise<HaftConfig> {
  const entries = listEntries(config).filter(({ entry }) => entry.startsWith(packPrefix));
  if (entries.length === 0) return config;
  const { findPackFault } = await import("../packs/tool-packs.ts");
  const faults = entries.flatMap(({ place, entry }) => {
    const fault = findPackFault(entry);
    return fault === undefined ? [] : [`${place}: ${fault}`];
  });
  if (faults.length === 0) return config;
  throw new ConfigError("CONFIG_INVALID", `Cannot use "${file}": ${faults.join("; ")}`, {
    details: { issues: faults },
  });
}

/** The entries of all lists of tools, with the key of each list. */
function listEntries({ agents = {}, tools, serve }: HaftConfig): readonly { place: string; entry: string }[] {
  const lists: [string, readonly string[] | undefined][] = [
    ["tools.pinned", tools?.pinned],
    ...Object.entries(agents).flatMap(([id, { allowedTools, blockedTools }]): typeof lists => [
      [`agents.${id}.allowedTools`, allowedTools],
      [`agents.${id}.blockedTools`, blockedTools],
    ]),
    ...Object.entries(serve?.clients ?? {}).map(([name, client]): (typeof lists)[number] => [
      `serve.clients.${name}.tools`,
      client.tools,
    ]),
  ];
  return lists.flatMap(([place, list = []]) => list.map((entry) => ({ place, entry })));
}
