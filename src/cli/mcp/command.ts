import { realpathSync } from "node:fs";
import type { Home } from "../../app/index.ts";
import type { Session } from "../session.ts";

/**
 * Program and arguments of `haft mcp`, as a client starts it. Without `--folder` it works in the folder in which the
 * client starts it; one that was typed here is passed on.
 */
export function mcpCommand(
  session: Session,
  home: Home,
  folder: string,
): readonly [program: string, ...args: string[]] {
  const [program, ...args] = session.program;
  return [
    program,
    ...args.map(resolveCached),
    "mcp",
    ...(session.common.folder === undefined ? [] : ["--folder", folder]),
    ...(session.namesHome ? ["--home", home.folder] : []),
  ];
}

/** npx starts a checkout through a link in a cache that npm empties; a client's file names what the link stands for. */
function resolveCached(path: string): string {
  return isCached(path) ? realpathSync(path) : path;
}

function isCached(path: string): boolean {
  return /[/\\]_npx[/\\]/.test(path);
}

/** What a person types to start this haft again: `npx haft` where npm started a checkout, of which no `haft` is on the PATH. */
export function typedName([, ...args]: readonly string[]): string {
  return args.some((path) => isCached(path) || /[/\\]src[/\\]main\.ts$/.test(path)) ? "npx haft" : "haft";
}
