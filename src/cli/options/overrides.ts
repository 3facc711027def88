import type { AppOptions, Profile } from "../../app/index.ts";
import type { Mode } from "../../kernel/index.ts";

/** What `--profile`, `--mode` and `--agent` put over the configuration. */
export interface Overrides {
  readonly profile?: Profile;
  readonly mode?: Mode;
  readonly agent?: string;
}

/** Picks those options of a command that the installation is opened with. */
export function pickOverrides({ profile, mode, agent }: Overrides): Partial<AppOptions> {
  return {
    ...(profile !== undefined && { profile }),
    ...(mode !== undefined && { mode }),
    ...(agent !== undefined && { agent }),
  };
}
