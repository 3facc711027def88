import { join } from "node:path";
import { appData, inVsCode, userServerFile } from "../../app/index.ts";
import { fileForm, tokenHeaders, variableNote } from "../clients/form.ts";
import { renderAgentFile } from "./agent-file.ts";
import { type ClientEntry, type ClientSetting, patience, started } from "./client-entry.ts";

const vscode: ClientEntry = {
  id: "vscode",
  title: "VS Code",
  server: (setting) => ({
    file: userServerFile("vscode", setting),
    form: "json",
    changes: [{ kind: "set", path: ["servers", "haft"], value: { type: "stdio", ...started(setting) } }],
  }),
  http: (endpoint) =>
    fileForm("http", ".vscode/mcp.json", {
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
  ownTools: (setting) => ({
    edits: [
      {
        file: join(appData(setting), "Code", "User", "prompts", "haft.agent.md"),
        form: "text",
        changes: [{ kind: "write", text: renderAgentFile("vscode") }],
      },
    ],
    but: "VS Code's own agents keep its terminal and file tools: choose the agent `haft` in the chat, whose tools are haft's alone.",
  }),
  ownQuestion: () => ({
    edits: [],
    but: "VS Code takes a lasting yes in its own question only: choose `Always Allow` for the server haft at the first call.",
  }),
};

const cursor: ClientEntry = {
  id: "cursor",
  title: "Cursor",
  server: (setting) => ({
    file: userServerFile("cursor", setting),
    form: "json",
    changes: [{ kind: "set", path: ["mcpServers", "haft"], value: started(setting) }],
  }),
  http: (endpoint) =>
    fileForm("http", `~/.cursor/mcp.json${variableNote(endpoint)}`, {
      mcpServers: { haft: { url: endpoint.url, ...tokenHeaders(endpoint) } },
    }),
  ownTools: () => ({
    edits: [],
    but: "Cursor has no setting in a file that takes its own terminal and file tools from its agent: keep Auto-Run off in its settings, so that it asks before each of them.",
  }),
  ownQuestion: ({ home }) => ({
    edits: [
      {
        file: join(home, ".cursor", "permissions.json"),
        form: "json",
        changes: [{ kind: "add", path: ["mcpAllowlist"], items: ["haft:*"] }],
      },
    ],
    but: "The list in permissions.json takes the place of the one in Cursor's settings, for all MCP servers.",
  }),
};

const windsurf: ClientEntry = {
  id: "windsurf",
  title: "Windsurf",
  server: (setting) => ({
    file: userServerFile("windsurf", setting),
    form: "json",
    changes: [{ kind: "set", path: ["mcpServers", "haft"], value: started(setting) }],
  }),
  http: (endpoint) =>
    fileForm("http", `~/.codeium/windsurf/mcp_config.json${variableNote(endpoint)}`, {
      mcpServers: { haft: { serverUrl: endpoint.url, ...tokenHeaders(endpoint) } },
    }),
  ownTools: () => ({
    edits: [],
    but: "Windsurf has no setting in a file that takes its own terminal and file tools from Cascade: keep its command auto-execution off.",
  }),
  ownQuestion: () => ({ edits: [], but: "Windsurf takes a lasting yes in its own question only." }),
};

const zed: ClientEntry = {
  id: "zed",
  title: "Zed",
  server: (setting) => ({
    file: userServerFile("zed", setting),
    form: "json",
    changes: [{ kind: "set", path: ["context_servers", "haft"], value: { ...started(setting), env: {} } }],
  }),
  ownTools: (setting) => ({
    edits: [
      {
        file: userServerFile("zed", setting),
        form: "json",
        changes: [
          {
            kind: "set",
            path: ["agent", "profiles", "haft"],
            value: { name: "haft", tools: {}, enable_all_context_servers: true },
          },
          { kind: "set", path: ["agent", "default_profile"], value: "haft" },
        ],
      },
    ],
  }),
  ownQuestion: () => ({
    edits: [],
    but: "Zed takes a lasting yes for single tools only: choose `Always Allow` at its question.",
  }),
};

const cline: ClientEntry = {
  id: "cline",
  title: "Cline",
  server: (setting) => ({
    file: userServerFile("cline", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcpServers", "haft"],
        value: { ...started(setting), timeout: patience.seconds, disabled: false },
      },
    ],
  }),
  ownTools: () => ({
    edits: [],
    but: "Cline has no setting that takes its own tools from the model: keep Auto-approve off for files and commands, so that it asks before each of them.",
  }),
  ownQuestion: () => ({
    edits: [],
    but: "Cline takes a lasting yes for single tools only: choose `Auto-approve` beside each tool in its MCP Servers view.",
  }),
};

const roo: ClientEntry = {
  id: "roo",
  title: "Roo Code",
  server: (setting) => ({
    file: userServerFile("roo", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcpServers", "haft"],
        value: { ...started(setting), timeout: patience.seconds, disabled: false },
      },
    ],
  }),
  ownTools: (setting) => ({
    edits: [
      {
        file: inVsCode(setting, "rooveterinaryinc.roo-cline", "custom_modes.yaml"),
        form: "yaml",
        changes: [
          {
            kind: "add",
            path: ["customModes"],
            by: "slug",
            items: [
              {
                slug: "haft",
                name: "haft",
                roleDefinition: "You read and change files, and run commands, with haft's tools.",
                groups: ["mcp"],
              },
            ],
          },
        ],
      },
    ],
    but: "Roo Code's other modes keep its own tools: choose the mode `haft`, which has those of MCP servers alone.",
  }),
  ownQuestion: () => ({
    edits: [],
    but: "Roo Code takes a lasting yes for single tools only: choose `Always allow` beside each tool in its MCP Servers view.",
  }),
};

const continueClient: ClientEntry = {
  id: "continue",
  title: "Continue",
  server: (setting) => ({
    file: join(setting.home, ".continue", "config.yaml"),
    form: "yaml",
    changes: [
      { kind: "add", path: ["mcpServers"], by: "name", items: [{ name: "haft", ...started(setting) }] },
    ],
  }),
  ownTools: ({ home }) => ({
    edits: [
      {
        file: join(home, ".continue", "permissions.yaml"),
        form: "yaml",
        changes: [
          {
            kind: "add",
            path: ["exclude"],
            items: ["Bash", "Read", "Write", "Edit", "MultiEdit", "List", "Search", "Diff"],
          },
        ],
      },
    ],
    but: "This holds for its command line `cn`; in the editor, set its built-in tools to `Excluded` in the list of tools.",
  }),
  ownQuestion: () => ({ edits: [], but: "Continue takes a lasting yes in its own question only." }),
};

const claudeDesktop: ClientEntry = {
  id: "claude-desktop",
  title: "Claude Desktop",
  needsFolder: true,
  server: (setting) => plainServer("claude-desktop", setting),
  ownTools: () => ({
    edits: [],
    none: "Claude Desktop's chats have no shell and no file tools of their own.",
  }),
  ownQuestion: () => ({ edits: [], but: "Claude Desktop takes a lasting yes in its own question only." }),
};

const lmStudio: ClientEntry = {
  id: "lmstudio",
  title: "LM Studio",
  needsFolder: true,
  server: (setting) => plainServer("lmstudio", setting),
  ownTools: () => ({ edits: [], none: "LM Studio has no shell and no file tools of its own." }),
  ownQuestion: () => ({
    edits: [],
    but: "LM Studio takes a lasting yes in its own question, or in Settings > Tools & Integrations, only.",
  }),
};

function plainServer(id: string, setting: ClientSetting) {
  return {
    file: userServerFile(id, setting),
    form: "json",
    changes: [{ kind: "set", path: ["mcpServers", "haft"], value: started(setting) }],
  } as const;
}

export const editorClients: readonly ClientEntry[] = [
  vscode,
  cursor,
  windsurf,
  zed,
  cline,
  roo,
  continueClient,
  claudeDesktop,
  lmStudio,
];
