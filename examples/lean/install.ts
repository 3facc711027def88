import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { serversFolder } from "./servers.ts";

/**
 * Installs the servers below servers/node_modules, unless they are there. No script of a package runs.
 *
 * @throws {Error} if npm can't.
 */
export function installServers(say: (line: string) => void): void {
  // npm writes this list last.
  if (readTime("node_modules/.package-lock.json") >= readTime("package-lock.json")) return;
  say("Installing the servers of examples/lean/servers (260 MB, once) …");
  const npm = process.env["npm_execpath"];
  const [command, first] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const { status } = spawnSync(command, [...first, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: serversFolder,
    stdio: ["ignore", process.stderr.fd, "inherit"],
    shell: npm === undefined && process.platform === "win32",
  });
  if (status !== 0)
    throw new Error(
      "npm could not install the servers; try again or, without a network, `npm run demo:lean -- --recorded` takes their recorded definitions",
    );
}

/** 0: it isn't there. */
function readTime(path: string): number {
  return statSync(join(serversFolder, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
