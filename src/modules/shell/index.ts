export { createCommands } from "./commands.ts";
export { shellTools } from "./shell-tools.ts";
