import type { Home } from "../app/index.ts";
import type { Session } from "./session.ts";

/**
 * Program and arguments of `haft mcp`, as a client starts it. Without `--folder` it works in the folder in which the
 * client starts it; one that was typed here is passed on.
 */
export function mcpCommand(
  session: Session,
  home: Home,
  folder: string,
): readonly [program: string, ...args: string[]] {
  return [
    ...session.program,
    "mcp",
    ...(session.common.folder === undefined ? [] : ["--folder", folder]),
    ...(session.namesHome ? ["--home", home.folder] : []),
  ];
}
