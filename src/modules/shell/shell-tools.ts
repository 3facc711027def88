import type { Tool } from "../../kernel/index.ts";
import { bashTool } from "./bash.ts";
import type { ShellServices } from "./services.ts";

/** `bash`; nothing where a service is absent. */
export function shellTools({
  processes,
  workspace,
  environment,
  connector,
  undo,
}: Partial<ShellServices>): Tool[] {
  if (processes === undefined || workspace === undefined || environment === undefined) return [];
  return [bashTool({ processes, workspace, environment, connector, undo })];
}
