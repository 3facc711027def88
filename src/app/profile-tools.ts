import type { Tool } from "../kernel/index.ts";
import type { Profile } from "./config/config-types.ts";
import { deferTools, type Family } from "./deferred-tools.ts";
import { chooseVocabularies } from "./memory/installed-memory.ts";
import { familyOfVocabulary } from "./memory/memory-families.ts";
import { type ToolServices, toolFamilies } from "./tool-families.ts";

/** The tools we ship that a profile has. Their code is not loaded yet, except where the configuration decides how they present themselves. */
export async function toolsOfProfile(profile: Profile, services: ToolServices): Promise<Tool[]> {
  const families = toolFamilies(services);
  const { webSearch, webRead } = services.config.tools ?? {};
  const configured = (family: Family) => family === "network" && (webSearch ?? webRead) !== undefined;
  const tools: Tool[] = [];
  const memory = chooseVocabularies(profile, services.config).map((name) => familyOfVocabulary[name]);
  for (const family of [...familiesOfProfile[profile], ...memory]) {
    const made = configured(family) ? await families[family]() : deferTools(family, families[family]);
    const fresh = made.filter(({ name }) => tools.every((tool) => tool.name !== name));
    tools.push(...fresh.map((tool) => ({ ...tool, origin: ownOrigin, pack: packOfFamily[family] })));
  }
  return tools;
}

/**
 * Families of each profile: one set of file tools, the shell if the profile has it, and what every profile has. Of two
 * tools with the same name the profile has the one whose family comes first.
 */
const familiesOfProfile: Readonly<Record<Profile, readonly Family[]>> = {
  coding: ["shell", "coding", "undo", "network", "data", "system", "secrets", "calls", "selection"],
  task: ["task", "undo", "network", "data", "system", "secrets", "calls", "selection"],
  full: ["shell", "task", "undo", "network", "data", "system", "secrets", "calls", "selection"],
  queue: ["shell", "queue", "task", "undo", "network", "data", "system", "secrets", "calls", "selection"],
};

/** Lists the profiles that include a family of tools. */
export function profilesWithFamily(family: Family): readonly Profile[] {
  const profiles = Object.keys(familiesOfProfile) as Profile[];
  return profiles.filter((profile) => familiesOfProfile[profile].includes(family));
}

/** The origin of the tools we ship, for rules. */
const ownOrigin = "haft";

/** The packs of our tools, for rules: all vocabularies of file tools are one. */
export const packOfFamily: Readonly<Record<Family, string>> = {
  coding: "files",
  task: "files",
  queue: "files",
  undo: "files",
  shell: "shell",
  network: "network",
  data: "data",
  system: "system",
  secrets: "secrets",
  calls: "calls",
  selection: "selection",
  memories: "memory",
  blocks: "memory",
  memoryFiles: "memory",
  notes: "memory",
};
