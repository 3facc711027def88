import { join } from "node:path";
import { appData, configHome, userServerFile } from "../../app/index.ts";
import { renderAgentFile } from "./agent-file.ts";
import { type ClientEntry, type ClientSetting, patience, started } from "./client-entry.ts";
import { renderPiExtension } from "./pi-extension.ts";

const copilot: ClientEntry = {
  id: "copilot",
  title: "Copilot CLI",
  driven: "1.0.102",
  server: (setting) => ({
    file: userServerFile("copilot", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcpServers", "haft"],
        value: { type: "local", ...started(setting), tools: ["*"], timeout: patience.milliseconds },
      },
    ],
  }),
  ownTools: ({ home, variable }) => ({
    edits: [
      {
        file: join(variable("COPILOT_HOME") || join(home, ".copilot"), "agents", "haft.agent.md"),
        form: "text",
        changes: [{ kind: "write", text: renderAgentFile("copilot") }],
      },
    ],
    but: "Copilot CLI's own agent keeps its shell: start it with `copilot --agent haft`, whose tools are haft's alone.",
  }),
  ownQuestion: () => ({
    edits: [],
    but: "Copilot CLI has no setting for this in a file: start it with `--allow-tool haft`.",
  }),
};

const pi: ClientEntry = {
  id: "pi",
  title: "pi",
  driven: "0.74.2",
  server: piExtension,
  // The extension is both halves: it makes haft's tools the only active ones.
  ownTools: (setting) => ({ edits: [piExtension(setting)] }),
  ownQuestion: () => ({ edits: [], none: "pi asks before no tool." }),
};

function piExtension(setting: ClientSetting) {
  const folder = setting.variable("PI_CODING_AGENT_DIR") || join(setting.home, ".pi", "agent");
  return {
    file: join(folder, "extensions", "haft.ts"),
    form: "text",
    changes: [{ kind: "write", text: renderPiExtension([setting.command, ...setting.args]) }],
  } as const;
}

const crush: ClientEntry = {
  id: "crush",
  title: "Crush",
  server: (setting) => ({
    file: userServerFile("crush", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcp", "haft"],
        value: { type: "stdio", ...started(setting), timeout: patience.seconds },
      },
    ],
  }),
  ownTools: (setting) => ({
    edits: [
      {
        file: userServerFile("crush", setting),
        form: "json",
        changes: [
          {
            kind: "add",
            path: ["options", "disabled_tools"],
            items: [
              "bash",
              "job_output",
              "job_kill",
              "view",
              "edit",
              "multiedit",
              "write",
              "ls",
              "glob",
              "grep",
              "download",
            ],
          },
        ],
      },
    ],
  }),
  ownQuestion: () => ({
    edits: [],
    but: "Crush takes single names in permissions.allowed_tools, no pattern: answer its question with `Allow for Session`, or name the tools there (mcp_haft_read, …).",
  }),
};

const amp: ClientEntry = {
  id: "amp",
  title: "Amp",
  server: (setting) => ({
    file: userServerFile("amp", setting),
    form: "json",
    changes: [{ kind: "set", path: ["amp.mcpServers", "haft"], value: started(setting) }],
  }),
  ownTools: (setting) => ({
    edits: [
      {
        file: userServerFile("amp", setting),
        form: "json",
        changes: [
          {
            kind: "add",
            path: ["amp.tools.disable"],
            items: [
              "Bash",
              "shell_command",
              "Read",
              "create_file",
              "edit_file",
              "apply_patch",
              "undo_edit",
              "glob",
              "Grep",
              "finder",
            ].map((name) => `builtin:${name}`),
          },
        ],
      },
    ],
  }),
  ownQuestion: () => ({
    edits: [],
    none: "Amp asks before no tool of an MCP server, unless amp.permissions says so.",
  }),
};

const goose: ClientEntry = {
  id: "goose",
  title: "Goose",
  server: (setting) => ({
    file: gooseConfig(setting),
    form: "yaml",
    changes: [
      {
        kind: "set",
        path: ["extensions", "haft"],
        value: {
          type: "stdio",
          name: "haft",
          enabled: true,
          cmd: setting.command,
          args: setting.args,
          envs: {},
          timeout: patience.seconds,
        },
      },
    ],
  }),
  ownTools: (setting) => ({
    edits: [
      {
        file: gooseConfig(setting),
        form: "yaml",
        changes: ["developer", "computercontroller"].map((name) => ({
          kind: "set",
          path: ["extensions", name],
          value: { type: "builtin", name, enabled: false, bundled: true },
        })),
      },
    ],
  }),
  ownQuestion: () => ({
    edits: [],
    but: "Goose asks nothing in its mode `auto`; in `approve` and `smart_approve` it takes a lasting yes for single tools only, in `goose configure`.",
  }),
};

function gooseConfig(setting: ClientSetting): string {
  return setting.platform === "win32"
    ? join(appData(setting), "Block", "goose", "config", "config.yaml")
    : join(configHome(setting), "goose", "config.yaml");
}

const kiro: ClientEntry = {
  id: "kiro",
  title: "Kiro",
  server: (setting) => ({
    file: userServerFile("kiro", setting),
    form: "json",
    changes: [
      {
        kind: "set",
        path: ["mcpServers", "haft"],
        value: { ...started(setting), timeout: patience.milliseconds, disabled: false, autoApprove: ["*"] },
      },
    ],
  }),
  ownTools: ({ home }) => ({
    edits: [
      {
        file: join(home, ".kiro", "agents", "haft.json"),
        form: "text",
        changes: [{ kind: "write", text: kiroAgent }],
      },
    ],
    but: "Kiro's own agent keeps its tools: start its CLI with `kiro-cli chat --agent haft`; its editor has no such setting in a file.",
  }),
  ownQuestion: (setting) => ({
    edits: [
      {
        file: userServerFile("kiro", setting),
        form: "json",
        changes: [{ kind: "set", path: ["mcpServers", "haft", "autoApprove"], value: ["*"] }],
      },
    ],
  }),
};

const kiroAgent = `${JSON.stringify(
  {
    name: "haft",
    description: "Works with haft's tools alone. Written by `haft connect kiro`.",
    tools: ["@haft"],
    allowedTools: ["@haft"],
    includeMcpJson: true,
  },
  null,
  2,
)}\n`;

export const otherTerminalClients: readonly ClientEntry[] = [copilot, pi, crush, amp, goose, kiro];
