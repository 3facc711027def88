import { shellWord } from "./shell-word.ts";

/** What a client must know to reach this haft. */
export interface Endpoint {
  readonly url: string;
  readonly tokenFile: string;
  /** Written into the forms that can't read it for themselves. @default they name the variable HAFT_TOKEN instead */
  readonly token?: string | undefined;
  /** Program and arguments of `haft mcp` for this folder; absolute, so that a client without the user's PATH finds them. */
  readonly command: readonly [program: string, ...args: string[]];
}

/** How one client is told about haft, over HTTP or as a program it starts. */
export interface ClientConfig {
  readonly client: string;
  /** Names it for `--print-config`. */
  readonly id: string;
  readonly forms: readonly ClientForm[];
}

interface ClientForm {
  readonly transport: "http" | "stdio";
  /** Where `text` goes: a shell, or a file. */
  readonly where: string;
  /** As it is pasted. */
  readonly text: string;
  /** Of a file of JSON: what `text` says. */
  readonly content?: unknown;
}

/**
 * The configuration of the common clients. A shell reads the token from its file, VS Code asks for it; over stdio
 * none is needed.
 *
 * @param own endpoints of single clients, by the id of one of these or a name of the user's
 */
export function listClientConfigs(
  endpoint: Endpoint,
  own: ReadonlyMap<string, Endpoint> = new Map(),
): ClientConfig[] {
  const common = clients.map((describe) => {
    const config = describe(endpoint);
    const ownEndpoint = own.get(config.id);
    return ownEndpoint === undefined ? config : describe(ownEndpoint);
  });
  const ids = new Set(common.map(({ id }) => id));
  const others = Array.from(own).filter(([name]) => !ids.has(name));
  return [...common, ...others.map(([name, ownEndpoint]) => configOf(name, ownEndpoint))];
}

/** Of a client that nothing is known of. */
function configOf(name: string, endpoint: Endpoint): ClientConfig {
  return {
    client: name,
    id: name,
    forms: [
      file("http", `where ${name} keeps its MCP servers${variableNote(endpoint)}`, {
        mcpServers: { haft: { type: "http", url: endpoint.url, ...headers(endpoint) } },
      }),
      file("stdio", `where ${name} keeps its MCP servers`, { mcpServers: { haft: started(endpoint) } }),
    ],
  };
}

const clients: readonly ((endpoint: Endpoint) => ClientConfig)[] = [
  (endpoint) => ({
    client: "Claude Code",
    id: "claude-code",
    forms: [
      shell(
        "http",
        `claude mcp add --transport http haft ${endpoint.url} --header "${headerInShell(endpoint)}"`,
      ),
      shell("stdio", `claude mcp add haft -- ${inShell(endpoint)}`),
    ],
  }),
  (endpoint) => ({
    client: "Codex",
    id: "codex",
    forms: [
      shell(
        "http",
        `export HAFT_TOKEN="$(cat ${shellWord(endpoint.tokenFile)})"\n` +
          `codex mcp add haft --url ${endpoint.url} --bearer-token-env-var HAFT_TOKEN`,
      ),
      shell("stdio", `codex mcp add haft -- ${inShell(endpoint)}`),
    ],
  }),
  (endpoint) => ({
    client: "Gemini CLI",
    id: "gemini",
    forms: [
      shell(
        "http",
        `gemini mcp add --scope user --transport http --header "${headerInShell(endpoint)}" haft ${endpoint.url}`,
      ),
      file("stdio", "~/.gemini/settings.json", { mcpServers: { haft: started(endpoint) } }),
    ],
  }),
  (endpoint) => ({
    client: "VS Code",
    id: "vscode",
    forms: [
      file("http", ".vscode/mcp.json", {
        inputs: [
          {
            type: "promptString",
            id: "haft-token",
            description: `The text of ${endpoint.tokenFile}`,
            password: true,
          },
        ],
        servers: {
          haft: { type: "http", url: endpoint.url, headers: { Authorization: "Bearer ${input:haft-token}" } },
        },
      }),
      file("stdio", ".vscode/mcp.json", { servers: { haft: { type: "stdio", ...started(endpoint) } } }),
    ],
  }),
  (endpoint) => ({
    client: "Cursor",
    id: "cursor",
    forms: [
      file("http", `~/.cursor/mcp.json${variableNote(endpoint)}`, {
        mcpServers: { haft: { url: endpoint.url, ...headers(endpoint) } },
      }),
      file("stdio", "~/.cursor/mcp.json", { mcpServers: { haft: started(endpoint) } }),
    ],
  }),
  (endpoint) => ({
    client: "Claude Desktop",
    id: "claude-desktop",
    forms: [
      file("stdio", "claude_desktop_config.json (Settings > Developer > Edit Config)", {
        mcpServers: { haft: started(endpoint) },
      }),
    ],
  }),
  (endpoint) => ({
    client: "opencode",
    id: "opencode",
    forms: [
      file("stdio", "opencode.json (version 1)", {
        mcp: { haft: { type: "local", command: endpoint.command, enabled: true } },
      }),
      file("stdio", "opencode.json (version 2)", {
        mcp: { servers: { haft: { type: "local", command: endpoint.command } } },
      }),
    ],
  }),
  (endpoint) => ({
    client: "Zed",
    id: "zed",
    forms: [
      file("stdio", "Zed's settings.json", { context_servers: { haft: { ...started(endpoint), env: {} } } }),
    ],
  }),
  (endpoint) => ({
    client: "Windsurf",
    id: "windsurf",
    forms: [
      file("http", `~/.codeium/windsurf/mcp_config.json${variableNote(endpoint)}`, {
        mcpServers: { haft: { serverUrl: endpoint.url, ...headers(endpoint) } },
      }),
      file("stdio", "~/.codeium/windsurf/mcp_config.json", { mcpServers: { haft: started(endpoint) } }),
    ],
  }),
];

function headerInShell({ tokenFile }: Endpoint): string {
  return `Authorization: Bearer $(cat ${shellWord(tokenFile)})`;
}

function inShell({ command }: Endpoint): string {
  return command.map(shellWord).join(" ");
}

function started({ command: [command, ...args] }: Endpoint): { command: string; args: string[] } {
  return { command, args };
}

function headers({ token }: Endpoint): { headers: { Authorization: string } } {
  return { headers: { Authorization: `Bearer ${token ?? "${env:HAFT_TOKEN}"}` } };
}

function variableNote({ token }: Endpoint): string {
  return token === undefined ? ", with HAFT_TOKEN set where it starts" : "";
}

function shell(transport: ClientForm["transport"], text: string): ClientForm {
  return { transport, where: "in a shell", text };
}

function file(transport: ClientForm["transport"], where: string, content: unknown): ClientForm {
  return { transport, where, text: JSON.stringify(content, null, 2), content };
}
