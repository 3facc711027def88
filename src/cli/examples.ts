import type { Command } from "commander";

/** Examples below the help of a command, each with what it does. */
export function addExamples(
  command: Command,
  examples: readonly (readonly [line: string, meaning: string])[],
): void {
  const heading = command.configureHelp().styleTitle?.("Examples:") ?? "Examples:";
  const lines = examples.map(([line, meaning]) => `  ${line}\n      ${meaning}`);
  command.addHelpText("after", `\n${heading}\n${lines.join("\n")}`);
}
