export type { BashResult } from "./bash-content.ts";
export type { ShellServices } from "./services.ts";
export { shellTools } from "./shell-tools.ts";
