import { join } from "node:path";
import { userServerFile } from "../../app/index.ts";
import { shellWord } from "../../base/index.ts";
import { commandInShell, headerInShell, shellForm } from "../clients/form.ts";
import { type ClientEntry, type ClientSetting, patience, started } from "./client-entry.ts";

const claudeCode: ClientEntry = {
  id: "claude-code",
  title: "Claude Code",
  driven: "2.1.197",
  server: (setting) => ({
    file: userServerFile("claude-code", setting),
    form: "json",
    changes: [
      { kind: "set", path: ["mcpServers", "haft"], value: { type: "stdio", ...started(setting), env: {} } },
    ],
  }),
  http: (endpoint) =>
    shellForm(
      "http",
      `claude mcp add --scope user --transport http haft ${endpoint.url} --header "${headerInShell(endpoint)}"`,
    ),
  shell: (endpoint) => shellForm("stdio", `claude mcp add --scope user haft -- ${commandInShell(endpoint)}`),
  ownTools: (setting) => ({
    edits: [
      {
        file: claudeSettings(setting),
        form: "json",
        changes: [
          { kind: "add", path: ["permissions", "deny"], items: claudeTools },
          // Skills and commands can run lines of a shell before the model sees them.
          { kind: "set", path: ["disableSkillShellExecution"], value: true },
        ],
      },
    ],
  }),
  ownQuestion: (setting) => ({
    edits: [
      {
        file: claudeSettings(setting),
        form: "json",
        changes: [{ kind: "add", path: ["permissions", "allow"], items: ["mcp__haft"] }],
      },
    ],
  }),
};

const claudeTools = [
  "Bash",
  "PowerShell",
  "Monitor",
  "REPL",
  "Read",
  "Edit",
  "Write",
  "NotebookEdit",
  "Glob",
  "Grep",
  "LSP",
  "EnterWorktree",
];

function claudeSettings({ home, variable }: ClientSetting): string {
  return join(variable("CLAUDE_CONFIG_DIR") || join(home, ".claude"), "settings.json");
}

const codex: ClientEntry = {
  id: "codex",
  title: "Codex",
  driven: "0.169.0",
  server: (setting) => ({
    file: userServerFile("codex", setting),
    form: "toml",
    changes: [
      {
        kind: "set",
        path: ["mcp_servers", "haft"],
        value: {
          ...started(setting),
          tool_timeout_sec: patience.seconds,
          default_tools_approval_mode: "approve",
        },
      },
    ],
  }),
  http: (endpoint) =>
    shellForm(
      "http",
      `export HAFT_TOKEN="$(cat ${shellWord(endpoint.tokenFile)})"\n` +
        `codex mcp add haft --url ${endpoint.url} --bearer-token-env-var HAFT_TOKEN`,
    ),
  shell: (endpoint) => shellForm("stdio", `codex mcp add haft -- ${commandInShell(endpoint)}`),
  ownTools: (setting) => ({
    edits: [
      {
        file: userServerFile("codex", setting),
        form: "toml",
        changes: [
          { kind: "set", path: ["sandbox_mode"], value: "read-only" },
          { kind: "set", path: ["features", "shell_tool"], value: false },
          { kind: "set", path: ["features", "unified_exec"], value: false },
          { kind: "set", path: ["features", "view_image"], value: false },
        ],
      },
    ],
    but: 'Codex has no setting that takes apply_patch from the models that bring it: with sandbox_mode "read-only" it asks before each patch, and `codex exec` refuses it.',
  }),
  ownQuestion: (setting) => ({
    edits: [
      {
        file: userServerFile("codex", setting),
        form: "toml",
        changes: [
          { kind: "set", path: ["mcp_servers", "haft", "default_tools_approval_mode"], value: "approve" },
        ],
      },
    ],
  }),
};

const gemini: ClientEntry = {
  id: "gemini",
  title: "Gemini CLI",
  driven: "0.61.0",
  server: (setting) => ({
    file: userServerFile("gemini", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcpServers", "haft"],
        value: { ...started(setting), timeout: patience.milliseconds, trust: true },
      },
    ],
  }),
  http: (endpoint) =>
    shellForm(
      "http",
      `gemini mcp add --scope user --transport http --header "${headerInShell(endpoint)}" haft ${endpoint.url}`,
    ),
  ownTools: ({ home }) => ({
    edits: [
      {
        file: join(home, ".gemini", "policies", "haft.toml"),
        form: "text",
        changes: [{ kind: "write", text: geminiPolicy }],
      },
    ],
  }),
  ownQuestion: (setting) => ({ edits: [trusted("gemini", setting)] }),
};

const geminiPolicy = `# Written by \`haft connect gemini\`: files and commands go through haft's tools.
[[rule]]
toolName = [
  "run_shell_command",
  "read_file",
  "read_many_files",
  "write_file",
  "replace",
  "list_directory",
  "glob",
  "grep_search",
  "search_file_content",
]
decision = "deny"
priority = 900
`;

/** Gemini CLI and its forks. */
function trusted(id: string, setting: ClientSetting) {
  return {
    file: userServerFile(id, setting),
    form: "json",
    changes: [{ kind: "set", path: ["mcpServers", "haft", "trust"], value: true }],
  } as const;
}

const opencode: ClientEntry = {
  id: "opencode",
  title: "opencode",
  driven: "1.18.33",
  server: (setting) => ({
    file: userServerFile("opencode", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcp", "haft"],
        value: {
          type: "local",
          command: [setting.command, ...setting.args],
          enabled: true,
          timeout: patience.milliseconds,
        },
      },
    ],
  }),
  ownTools: (setting) => ({
    edits: [
      {
        file: userServerFile("opencode", setting),
        form: "json",
        changes: ["bash", "read", "edit", "glob", "grep", "list", "lsp"].map((name) => ({
          kind: "set",
          path: ["permission", name],
          value: "deny",
        })),
      },
    ],
  }),
  ownQuestion: (setting) => ({
    edits: [
      {
        file: userServerFile("opencode", setting),
        form: "json",
        changes: [{ kind: "set", path: ["permission", "haft_*"], value: "allow" }],
      },
    ],
  }),
};

const qwen: ClientEntry = {
  id: "qwen",
  title: "Qwen Code",
  driven: "0.15.10",
  server: (setting) => ({
    file: userServerFile("qwen", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcpServers", "haft"],
        value: { ...started(setting), timeout: patience.milliseconds, trust: true },
      },
    ],
  }),
  ownTools: (setting) => ({
    edits: [
      {
        file: userServerFile("qwen", setting),
        form: "json",
        changes: [{ kind: "add", path: ["permissions", "deny"], items: qwenTools }],
      },
    ],
  }),
  ownQuestion: (setting) => ({ edits: [trusted("qwen", setting)] }),
};

const qwenTools = [
  "run_shell_command",
  "list_directory",
  "read_file",
  "read_many_files",
  "write_file",
  "edit",
  "grep_search",
  "glob",
  "notebook_edit",
  "monitor",
  "lsp",
];

export const terminalClients: readonly ClientEntry[] = [claudeCode, codex, gemini, opencode, qwen];
