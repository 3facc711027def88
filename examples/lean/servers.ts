import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A server of servers/package.json. None of them needs an account to say what it can do. */
export interface DemoServer {
  /** Its tools are known as `{name}__{tool}`. */
  readonly name: string;
  readonly package: string;
  /** In its package. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Variables that it wants to be there before it says anything; what is in them opens nothing. */
  readonly wants?: readonly string[];
}

/** Of many kinds, and more than one of some: two forges and a local git, three trackers, two browsers, two searches. */
export const servers: readonly DemoServer[] = [
  {
    name: "filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    script: "dist/index.js",
    args: ["."],
  },
  { name: "memory", package: "@modelcontextprotocol/server-memory", script: "dist/index.js" },
  {
    name: "github",
    package: "@modelcontextprotocol/server-github",
    script: "dist/index.js",
    wants: ["GITHUB_PERSONAL_ACCESS_TOKEN"],
  },
  {
    name: "gitlab",
    package: "@zereight/mcp-gitlab",
    script: "build/index.js",
    wants: ["GITLAB_PERSONAL_ACCESS_TOKEN"],
  },
  { name: "git", package: "@cyanheads/git-mcp-server", script: "dist/index.js" },
  {
    name: "shortcut",
    package: "@shortcut/mcp",
    script: "dist/index.js",
    wants: ["SHORTCUT_API_TOKEN"],
  },
  { name: "todoist", package: "@doist/todoist-mcp", script: "dist/main.js", wants: ["TODOIST_API_KEY"] },
  { name: "notion", package: "@notionhq/notion-mcp-server", script: "bin/cli.mjs", wants: ["NOTION_TOKEN"] },
  { name: "airtable", package: "airtable-mcp-server", script: "dist/main.js", wants: ["AIRTABLE_API_KEY"] },
  {
    name: "slack",
    package: "@modelcontextprotocol/server-slack",
    script: "dist/index.js",
    wants: ["SLACK_BOT_TOKEN", "SLACK_TEAM_ID"],
  },
  { name: "playwright", package: "@playwright/mcp", script: "cli.js" },
  {
    name: "chrome",
    package: "chrome-devtools-mcp",
    script: "build/src/bin/chrome-devtools-mcp.js",
    args: ["--no-usage-statistics"],
  },
  { name: "charts", package: "@antv/mcp-server-chart", script: "build/index.js" },
  {
    name: "maps",
    package: "@modelcontextprotocol/server-google-maps",
    script: "dist/index.js",
    wants: ["GOOGLE_MAPS_API_KEY"],
  },
  {
    name: "brave",
    package: "@modelcontextprotocol/server-brave-search",
    script: "dist/index.js",
    wants: ["BRAVE_API_KEY"],
  },
  { name: "tavily", package: "tavily-mcp", script: "build/index.js", wants: ["TAVILY_API_KEY"] },
];

/** Where servers/package.json is, and what it installs. */
export const serversFolder: string = join(import.meta.dirname, "servers");

/** What `mcpServers` of a configuration says of them. */
export function serverEntries(recorded: boolean): Readonly<Record<string, object>> {
  return Object.fromEntries(servers.map((server) => [server.name, toEntry(server, recorded)]));
}

function toEntry(server: DemoServer, recorded: boolean): object {
  const command = process.execPath;
  if (recorded) return { command, args: [join(import.meta.dirname, "replay-server.ts"), server.name] };
  const { script, args = [], wants = [] } = server;
  return {
    command,
    args: [join(serversFolder, "node_modules", server.package, script), ...args],
    env: Object.fromEntries(wants.map((name) => [name, "not-a-real-token"])),
  };
}

/** The version that servers/package.json pins. */
export function pinnedVersion(server: DemoServer): string {
  return pinned[server.package] ?? "?";
}

const { dependencies: pinned } = JSON.parse(readFileSync(join(serversFolder, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
