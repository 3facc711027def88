import { Option } from "commander";
import { modes } from "../../kernel/index.ts";

/** How far calls may go by themselves, where it stands over the configuration. */
export function modeOverride(): Option {
  return new Option(
    "--mode <mode>",
    "plan: only look; ask: the rules as they are; auto: what has no known risk and can be undone runs in the sandbox unasked; locked: ask nobody (default: the configuration's, or ask)",
  ).choices(modes);
}
