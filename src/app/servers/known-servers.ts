import { dirname, resolve } from "node:path";
import type { McpServerConfig } from "../../mcp/index.ts";
import { launcherNeeds } from "./launchers.ts";

/** What a server needs beyond what its process may do by default. */
export interface ServerNeeds {
  readonly hosts: readonly string[];
  /** Folders and files that it changes. */
  readonly paths: readonly string[];
  /** Variables that it is given a key or token in. */
  readonly secrets: readonly string[];
  /** What its owner has to choose, as a sentence. */
  readonly note?: string;
}

interface KnownServer {
  /** Names of its packages and programs. */
  readonly names: readonly string[];
  readonly hosts?: readonly string[];
  readonly secrets?: readonly string[];
  /** Folders and files that its arguments and variables name. */
  readonly paths?: (server: McpServerConfig, args: readonly string[]) => readonly string[];
  readonly note?: string;
}

/** Servers in wide use whose needs their documentation states. */
const knownServers: readonly KnownServer[] = [
  {
    names: ["@modelcontextprotocol/server-filesystem", "mcp-server-filesystem"],
    paths: (_server, args) => args.filter((arg) => !arg.startsWith("-")),
  },
  {
    names: ["@modelcontextprotocol/server-memory", "mcp-server-memory"],
    paths: ({ env }) => {
      const file = env?.["MEMORY_FILE_PATH"];
      return file === undefined ? [] : [dirname(file)];
    },
    note: "it keeps its memory in its own package unless MEMORY_FILE_PATH names a file: --env MEMORY_FILE_PATH=…",
  },
  {
    names: ["mcp-server-git", "@cyanheads/git-mcp-server"],
    paths: (_server, args) => pickValues(args, ["--repository", "-r"]),
  },
  { names: ["mcp-server-sqlite"], paths: (_server, args) => pickValues(args, ["--db-path"]).map(dirname) },
  {
    names: ["mcp-server-fetch", "mcp-fetch-server"],
    note: "it reaches the hosts that you name, and no others: --host example.com",
  },
  api("api.github.com", "GITHUB_PERSONAL_ACCESS_TOKEN", "@modelcontextprotocol/server-github"),
  api("gitlab.com", "GITLAB_PERSONAL_ACCESS_TOKEN", "@modelcontextprotocol/server-gitlab"),
  api("slack.com", "SLACK_BOT_TOKEN", "@modelcontextprotocol/server-slack"),
  api(
    "api.search.brave.com",
    "BRAVE_API_KEY",
    "@modelcontextprotocol/server-brave-search",
    "@brave/brave-search-mcp-server",
  ),
  api("maps.googleapis.com", "GOOGLE_MAPS_API_KEY", "@modelcontextprotocol/server-google-maps"),
  api("api.notion.com", "NOTION_TOKEN", "@notionhq/notion-mcp-server"),
  api("api.tavily.com", "TAVILY_API_KEY", "tavily-mcp"),
  api("api.firecrawl.dev", "FIRECRAWL_API_KEY", "firecrawl-mcp"),
  api("api.exa.ai", "EXA_API_KEY", "exa-mcp-server"),
  api("sentry.io", "SENTRY_ACCESS_TOKEN", "@sentry/mcp-server"),
  api("api.stripe.com", "STRIPE_SECRET_KEY", "@stripe/mcp"),
  api("api.airtable.com", "AIRTABLE_API_KEY", "airtable-mcp-server"),
  { names: ["@upstash/context7-mcp"], hosts: ["context7.com", "mcp.context7.com"] },
];

function api(host: string, secret: string, ...names: readonly string[]): KnownServer {
  return { names, hosts: [host], secrets: [secret] };
}

/**
 * What a program is known to need and the server does not have yet: what its launcher fetches it with, and what servers
 * in wide use reach, change and are given. Undefined where nothing is missing, and for an address or a server outside the sandbox.
 *
 * @param folder where relative paths start
 */
export function missingNeeds(server: McpServerConfig, folder: string): ServerNeeds | undefined {
  if (server.command === undefined || server.unconfined === true) return undefined;
  const { known, args } = findKnown(server);
  const launcher = launcherNeeds(server);
  const hosts = missing([...(launcher?.hosts ?? []), ...(known?.hosts ?? [])], server.hosts);
  const had = new Set((server.paths ?? []).map((path) => resolve(folder, path)));
  const wanted = missing([...(launcher?.paths ?? []), ...(known?.paths?.(server, args) ?? [])], server.paths);
  const paths = wanted.filter((path) => !had.has(resolve(folder, path)));
  const secrets = missing(known?.secrets ?? [], Object.keys(server.env ?? {}));
  const isSettled = (known?.paths?.(server, args) ?? server.hosts ?? []).length > 0;
  const note = known?.note === undefined || isSettled ? {} : { note: known.note };
  return hosts.length + paths.length + secrets.length === 0 && note.note === undefined
    ? undefined
    : { hosts, paths, secrets, ...note };
}

function missing(wanted: readonly string[], had: readonly string[] = []): readonly string[] {
  return [...new Set(wanted)].filter((one) => !had.includes(one));
}

/** The known server that a command starts, and the arguments after its name. */
function findKnown({ command = "", args = [] }: McpServerConfig): {
  readonly known?: KnownServer | undefined;
  readonly args: readonly string[];
} {
  const words = [command, ...args];
  const at = startsOthers.test(command) ? 1 + args.findIndex((arg) => !passedOver.test(arg)) : 0;
  const word = words[at];
  const known =
    word === undefined
      ? undefined
      : knownServers.find(({ names }) => names.some((name) => isNamed(word, name)));
  return known === undefined ? { args: [] } : { known, args: words.slice(at + 1) };
}

/** Programs that start the one that their arguments name, and what may stand before its name. */
const startsOthers = /(^|[\\/])(npx|npm|pnpm|yarn|bunx?|uvx?|pipx|node|deno|python[\d.]*)(\.(exe|cmd))?$/i;
const passedOver = /^(-.*|dlx|exec|run|tool|x)$/;

/** `word` is the package, one version of it, or a path that ends in it; `@somebody/NAME` is somebody else's package. */
function isNamed(word: string, name: string): boolean {
  const path = word.replaceAll("\\", "/");
  if (path === name || path.startsWith(`${name}@`)) return true;
  const isPath = /^([./~]|[A-Za-z]:|node_modules\/)/.test(path);
  return isPath && path.endsWith(`/${name}`) && !/\/@[^/]+\/$/.test(path.slice(0, -name.length));
}

function pickValues(args: readonly string[], options: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const [name = "", value] = arg.split("=", 2);
    if (!options.includes(name)) return [];
    return [value ?? args[at + 1] ?? ""].filter((one) => one !== "");
  });
}
