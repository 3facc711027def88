export type { BashResult } from "./bash-content.ts";
export { type CommandOutcome, type Commands, createCommands } from "./commands.ts";
export type { CommandRun } from "./run-command.ts";
export type { ShellServices } from "./services.ts";
export { shellTools } from "./shell-tools.ts";
