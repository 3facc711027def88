import type { AppOptions, Profile } from "../app/index.ts";
import type { Mode } from "../kernel/index.ts";

/** What `--profile` and `--mode` put over the configuration. */
export interface Overrides {
  readonly profile?: Profile;
  readonly mode?: Mode;
}

/** Of the options of a command, those that the installation is opened with. */
export function overridesOf({ profile, mode }: Overrides): Partial<AppOptions> {
  return { ...(profile !== undefined && { profile }), ...(mode !== undefined && { mode }) };
}
