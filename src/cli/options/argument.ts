import { Option } from "commander";

/** `--arg key=value`, as often as there are arguments. */
export function argumentOption(description: string): Option {
  return new Option("-a, --arg <key=value>", description)
    .default([], "none")
    .argParser((pair: string, before: readonly string[]) => [...before, pair]);
}
