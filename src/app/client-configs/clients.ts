import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../base/index.ts";

/** The folders in which clients keep what is theirs. */
export interface ClientPlaces {
  /** The user's own folder. */
  readonly home: string;
  /** The project's. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly variable: (name: string) => string | undefined;
}

/** A file in which a client may have servers. */
export interface ClientFile {
  readonly path: string;
  /** `project`: it lies in the project's folder, and may be anybody's. */
  readonly owner: "user" | "project";
  readonly form: "json" | "toml";
  /** The part that has them, by name. */
  readonly servers: (content: Readonly<Record<string, unknown>>) => unknown;
}

export interface ClientKind {
  /** The id for `--from`. */
  readonly id: string;
  readonly name: string;
  readonly files: (places: ClientPlaces) => readonly ClientFile[];
}

/** The clients whose servers can be taken over. */
export const clientKinds: readonly ClientKind[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    files: ({ home, folder, variable }) => [
      user(join(variable("CLAUDE_CONFIG_DIR") || home, ".claude.json"), at("mcpServers")),
      user(join(variable("CLAUDE_CONFIG_DIR") || home, ".claude.json"), at("projects", folder, "mcpServers")),
      project(join(folder, ".mcp.json"), at("mcpServers")),
    ],
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    files: (places) => [
      user(join(appData(places), "Claude", "claude_desktop_config.json"), at("mcpServers")),
    ],
  },
  {
    id: "cursor",
    name: "Cursor",
    files: ({ home, folder }) => [
      user(join(home, ".cursor", "mcp.json"), at("mcpServers")),
      project(join(folder, ".cursor", "mcp.json"), at("mcpServers")),
    ],
  },
  {
    id: "vscode",
    name: "VS Code",
    files: (places) => [
      ...["Code", "Code - Insiders"].flatMap((edition) => [
        user(join(appData(places), edition, "User", "mcp.json"), at("servers")),
        user(join(appData(places), edition, "User", "settings.json"), at("mcp", "servers")),
      ]),
      project(join(places.folder, ".vscode", "mcp.json"), at("servers")),
    ],
  },
  {
    id: "windsurf",
    name: "Windsurf",
    files: ({ home }) => [user(join(home, ".codeium", "windsurf", "mcp_config.json"), at("mcpServers"))],
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    files: ({ home, folder }) => [
      user(join(home, ".gemini", "settings.json"), at("mcpServers")),
      project(join(folder, ".gemini", "settings.json"), at("mcpServers")),
    ],
  },
  {
    id: "codex",
    name: "Codex",
    files: ({ home, folder, variable }) => [
      user(join(variable("CODEX_HOME") || join(home, ".codex"), "config.toml"), at("mcp_servers"), "toml"),
      project(join(folder, ".codex", "config.toml"), at("mcp_servers"), "toml"),
    ],
  },
  {
    id: "opencode",
    name: "opencode",
    files: (places) =>
      ["opencode.json", "opencode.jsonc"].flatMap((name) => [
        user(join(configHome(places), "opencode", name), at("mcp")),
        project(join(places.folder, name), at("mcp")),
      ]),
  },
  {
    id: "zed",
    name: "Zed",
    files: (places) => [
      user(
        places.platform === "win32"
          ? join(appData(places), "Zed", "settings.json")
          : join(configHome(places), "zed", "settings.json"),
        at("context_servers"),
      ),
      project(join(places.folder, ".zed", "settings.json"), at("context_servers")),
    ],
  },
  {
    id: "cline",
    name: "Cline",
    files: (places) => [
      user(inVsCode(places, "saoudrizwan.claude-dev", "cline_mcp_settings.json"), at("mcpServers")),
    ],
  },
  {
    id: "roo",
    name: "Roo Code",
    files: (places) => [
      user(inVsCode(places, "rooveterinaryinc.roo-cline", "mcp_settings.json"), at("mcpServers")),
      project(join(places.folder, ".roo", "mcp.json"), at("mcpServers")),
    ],
  },
  {
    id: "qwen",
    name: "Qwen Code",
    files: ({ home, folder }) => [
      user(join(home, ".qwen", "settings.json"), at("mcpServers")),
      project(join(folder, ".qwen", "settings.json"), at("mcpServers")),
    ],
  },
  {
    id: "copilot",
    name: "Copilot CLI",
    files: ({ home, variable }) => [
      user(join(variable("COPILOT_HOME") || join(home, ".copilot"), "mcp-config.json"), at("mcpServers")),
    ],
  },
  {
    id: "kiro",
    name: "Kiro",
    files: ({ home, folder }) => [
      user(join(home, ".kiro", "settings", "mcp.json"), at("mcpServers")),
      project(join(folder, ".kiro", "settings", "mcp.json"), at("mcpServers")),
    ],
  },
  {
    id: "amp",
    name: "Amp",
    files: (places) => [
      user(join(configHome(places), "amp", "settings.json"), at("amp.mcpServers")),
      project(join(places.folder, ".amp", "settings.json"), at("amp.mcpServers")),
    ],
  },
  {
    id: "crush",
    name: "Crush",
    files: (places) => [
      user(join(configHome(places), "crush", "crush.json"), at("mcp")),
      project(join(places.folder, "crush.json"), at("mcp")),
    ],
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    files: ({ home }) => [user(join(home, ".lmstudio", "mcp.json"), at("mcpServers"))],
  },
];

/** The user's own file in which a client has its servers: the one that is there, else the first. */
export function userServerFile(id: string, places: ClientPlaces): string {
  const files = clientKinds.find((kind) => kind.id === id)?.files(places) ?? [];
  const paths = files.filter(({ owner }) => owner === "user").map(({ path }) => path);
  const found = paths.find((path) => existsSync(path)) ?? paths[0];
  if (found === undefined) throw new TypeError(`No client "${id}" has a file of the user's`);
  return found;
}

/** The project's files that a client reads beside one of the user's. */
export function projectFilesBeside(path: string, places: ClientPlaces): readonly string[] {
  const kind = clientKinds.find(({ files }) => files(places).some((file) => file.path === path));
  const files = kind?.files(places) ?? [];
  return files.filter(({ owner }) => owner === "project").map((file) => file.path);
}

function user(path: string, servers: ClientFile["servers"], form: ClientFile["form"] = "json"): ClientFile {
  return { path, owner: "user", form, servers };
}

function project(
  path: string,
  servers: ClientFile["servers"],
  form: ClientFile["form"] = "json",
): ClientFile {
  return { path, owner: "project", form, servers };
}

function at(...keys: readonly string[]): ClientFile["servers"] {
  return (content) =>
    keys.reduce<unknown>(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      content,
    );
}

/** The folder in which desktop programs keep their settings. */
export function appData({ home, platform, variable }: ClientPlaces): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return variable("APPDATA") || join(home, "AppData", "Roaming");
  return variable("XDG_CONFIG_HOME") || join(home, ".config");
}

/** The folder in which programs of the terminal keep theirs, on a Mac too. */
export function configHome({ home, variable }: ClientPlaces): string {
  return variable("XDG_CONFIG_HOME") || join(home, ".config");
}

/** A file of an extension of VS Code. */
export function inVsCode(places: ClientPlaces, extension: string, file: string): string {
  return join(appData(places), "Code", "User", "globalStorage", extension, "settings", file);
}
