import type { Tool } from "../kernel/index.ts";
import type { Profile, ToolFamily } from "../modules/module.ts";
import type { HaftConfig } from "./config/config-types.ts";
import { deferTools } from "./deferred-tools.ts";
import { type ModulePorts, modules } from "./modules.ts";

/** A family of tools with its name and its pack. */
export type NamedFamily = ToolFamily<ModulePorts> & { readonly name: string; readonly pack: string };

/** The families of all modules, in their order. */
export const families: readonly NamedFamily[] = modules.flatMap((module) =>
  Object.entries(module.families ?? {}).map(([name, family]) => ({
    ...family,
    name,
    pack: family.pack ?? module.name,
  })),
);

/**
 * The tools we ship that a profile has. Their code is not loaded yet, except where the configuration decides how they present
 * themselves.
 */
export async function listOwnTools(profile: Profile, ports: ModulePorts): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const family of families) {
    const { name, pack, make, isChosen, isConfigured, needsModel = false } = family;
    if (!(isChosen?.(ports) ?? isOfProfile(family, profile))) continue;
    if (needsModel && !hasModel(ports.settings)) continue;
    const made = isConfigured?.(ports) === true ? await make(ports) : deferTools(name, () => make(ports));
    const fresh = made.filter((tool) => tools.every((other) => other.name !== tool.name));
    tools.push(...fresh.map((tool) => ({ ...tool, origin: ownOrigin, pack })));
  }
  return tools;
}

/** Whether a profile has a family, where no setting chooses. */
export function isOfProfile({ profiles }: NamedFamily, profile: Profile): boolean {
  return profiles?.includes(profile) ?? true;
}

/** Whether the agents of an installation can work. */
export function hasModel({ models = {} }: HaftConfig): boolean {
  return Object.keys(models).length > 0;
}

/** The origin of the tools we ship, for rules. */
const ownOrigin = "haft";
