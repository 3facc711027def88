import type { Command } from "commander";

const everywhere = ["json", "folder", "home", "verbose"];

/** The first option that was typed and is none of those known, such as `--cost`. */
export function strayOption(command: Command, known: readonly string[]): string | undefined {
  const isStray = (key: string) =>
    command.getOptionValueSource(key) === "cli" && !known.includes(key) && !everywhere.includes(key);
  return command.options.find((option) => isStray(option.attributeName()))?.long;
}
