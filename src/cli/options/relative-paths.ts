import { existsSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import type { McpServerConfig } from "../../mcp/index.ts";
import { shownWord } from "../text/mcp-server.ts";

/**
 * A warning for a server of the owner's own file, which holds for every folder, that names something of one folder by a
 * relative path; undefined where it names none. The folder itself, `.`, is another one in each project, and meant so.
 */
export function warnOfRelativePaths(server: McpServerConfig, folder: string): string | undefined {
  const { name, command, args = [], cwd, paths = [], reads = [] } = server;
  const words = [command, cwd, ...args, ...paths, ...reads].filter((word) => word !== undefined);
  const found = [...new Set(words)].filter((word) => leadsInto(folder, word));
  if (found.length === 0) return undefined;
  const [first = ""] = found;
  return `${shownWord(name)} names ${found.map(shownWord).join(", ")} of this folder, and will be in your own file, which holds for every folder: add --project to keep it with this one, or write the whole path, ${shownWord(join(folder, first))}`;
}

/** Whether a word of a command line is a relative path to something that is there; a bare word may be anything else. */
function leadsInto(folder: string, word: string): boolean {
  if (isAbsolute(word) || !/[./\\]/.test(word) || normalize(join(word, ".")) === ".") return false;
  return existsSync(join(folder, word));
}
