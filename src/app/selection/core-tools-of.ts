import { coreTools } from "../../kernel/index.ts";
import type { HaftConfig, Profile } from "../config/config-types.ts";
import { expandPacks } from "../packs/tool-packs.ts";

/** Names and globs of the tools that every list of an installation has, and which of them its owner pinned. */
export interface CoreTools {
  readonly core: readonly string[];
  readonly pinned: readonly string[];
}

/** The core of a profile, and after it what `tools.pinned` of the configuration names. */
export function chooseCoreTools(profile: Profile, { tools }: HaftConfig): CoreTools {
  const pinned = expandPacks(tools?.pinned ?? []);
  return { core: [...coreTools[profile], ...pinned], pinned };
}
