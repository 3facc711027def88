import { execFileSync } from "node:child_process";

/** Git as nobody in particular, with no configuration but the repository's own. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
    },
  });
}
