import type { McpServerConfig } from "../../mcp/index.ts";

interface LauncherNeeds {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
}

/** Programs that fetch what they start, and what they need for it. */
const launchers: Readonly<Record<string, LauncherNeeds>> = {
  npx: { hosts: ["registry.npmjs.org"], paths: ["~/.npm"] },
  bunx: { hosts: ["registry.npmjs.org"], paths: ["~/.bun"] },
  uvx: { hosts: ["pypi.org", "files.pythonhosted.org"], paths: ["~/.cache/uv", "~/.local/share/uv"] },
};

/** What a launcher has to reach and change; undefined for a program that is none. */
export function launcherNeeds({ command = "" }: McpServerConfig): LauncherNeeds | undefined {
  const program = command.replace(/^.*[\\/]/, "").replace(/\.(cmd|exe)$/i, "");
  return Object.hasOwn(launchers, program) ? launchers[program] : undefined;
}
