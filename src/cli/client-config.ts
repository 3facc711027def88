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
  /** Names for `--print-config`. */
  readonly id: string;
  readonly forms: readonly ClientForm[];
}

export interface ClientForm {
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
 */
export function listClientConfigs(endpoint: Endpoint): ClientConfig[] {
  const { url, tokenFile, token } = endpoint;
  const [command, ...args] = endpoint.command;
  const bearer = `Authorization: Bearer $(cat ${shellWord(tokenFile)})`;
  const program = endpoint.command.map(shellWord).join(" ");
  const started = { command, args };
  const withHeader = { headers: { Authorization: `Bearer ${token ?? "${env:HAFT_TOKEN}"}` } };
  const variable = token === undefined ? ", with HAFT_TOKEN set where it starts" : "";
  return [
    {
      client: "Claude Code",
      id: "claude-code",
      forms: [
        shell("http", `claude mcp add --transport http haft ${url} --header "${bearer}"`),
        shell("stdio", `claude mcp add haft -- ${program}`),
      ],
    },
    {
      client: "Codex",
      id: "codex",
      forms: [
        shell(
          "http",
          `export HAFT_TOKEN="$(cat ${shellWord(tokenFile)})"\ncodex mcp add haft --url ${url} --bearer-token-env-var HAFT_TOKEN`,
        ),
        shell("stdio", `codex mcp add haft -- ${program}`),
      ],
    },
    {
      client: "Gemini CLI",
      id: "gemini",
      forms: [
        shell("http", `gemini mcp add --scope user --transport http --header "${bearer}" haft ${url}`),
        file("stdio", "~/.gemini/settings.json", { mcpServers: { haft: started } }),
      ],
    },
    {
      client: "VS Code",
      id: "vscode",
      forms: [
        file("http", ".vscode/mcp.json", {
          inputs: [{ type: "promptString", id: "haft-token", description: `The text of ${tokenFile}`, password: true }],
          servers: { haft: { type: "http", url, headers: { Authorization: "Bearer ${input:haft-token}" } } },
        }),
        file("stdio", ".vscode/mcp.json", { servers: { haft: { type: "stdio", ...started } } }),
      ],
    },
    {
      client: "Cursor",
      id: "cursor",
      forms: [
        file("http", `~/.cursor/mcp.json${variable}`, {
          mcpServers: { haft: { url, ...withHeader } },
        }),
        file("stdio", "~/.cursor/mcp.json", { mcpServers: { haft: started } }),
      ],
    },
    {
      client: "Claude Desktop",
      id: "claude-desktop",
      forms: [
        file("stdio", "claude_desktop_config.json (Settings > Developer > Edit Config)", { mcpServers: { haft: started } }),
      ],
    },
    {
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
    },
    {
      client: "Zed",
      id: "zed",
      forms: [file("stdio", "Zed's settings.json", { context_servers: { haft: { ...started, env: {} } } })],
    },
    {
      client: "Windsurf",
      id: "windsurf",
      forms: [
        file("http", `~/.codeium/windsurf/mcp_config.json${variable}`, {
          mcpServers: { haft: { serverUrl: url, ...withHeader } },
        }),
        file("stdio", "~/.codeium/windsurf/mcp_config.json", { mcpServers: { haft: started } }),
      ],
    },
  ];
}

function shell(transport: ClientForm["transport"], text: string): ClientForm {
  return { transport, where: "in a shell", text };
}

function file(transport: ClientForm["transport"], where: string, content: unknown): ClientForm {
  return { transport, where, text: JSON.stringify(content, null, 2), content };
}
