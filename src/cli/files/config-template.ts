import type { Profile } from "../../app/index.ts";

export interface ConfigTemplateOptions {
  /** The path or address at which an editor finds the schema. */
  readonly schema: string;
  readonly profile: Profile;
}

/**
 * The text of a new `haft.config.yml`: what is written is the default, and what is commented out is an example that
 * can be used as it stands.
 */
export function renderConfigTemplate({ schema, profile }: ConfigTemplateOptions): string {
  return `# yaml-language-server: $schema=${schema}
#
# What haft may do in this folder. Every part may be left out; what is written here is the default.
# \`haft doctor\` says whether the file can be used. A running \`haft serve\` reads it when it starts.

tools:
  # The names of the file tools: coding (read, write, edit, grep, …) or task (read_file, write_file, …).
  profile: ${profile}
  # How long a call may run, in milliseconds.
  timeout: 30000
  # Calls that run at once; others wait for their turn.
  maxConcurrent: 3
  # Characters of one output that reach the model; the rest is kept, to be read page by page.
  maxOutputChars: 25000
  # Folders whose files may be read and changed without asking. A relative path starts here.
  allowedPaths: ["."]
  # Hosts that may be reached without asking: example.com, "*.example.com", 127.0.0.1:8080.
  allowedHosts: []
  # Environment variables that get_env may read, beside the harmless ones.
  readableEnv: []
  # Tools that every list has, however few it shows.
  pinned: []
  # Tokens that all definitions together may cost before a list is lean: a few tools, and search_tools for the others.
  budget: 10000
  # What tells texts that mean alike when tools are searched for: offline, encoder (of the package haft-encoder), none, or a model of your own.
  # search:
  #   embedder: offline
  # Where web_search asks. \${NAME} is filled in from the environment.
  # webSearch:
  #   provider: tavily
  #   apiKey: \${TAVILY_API_KEY:-}
  # How web_read turns a page into text: on this machine (local), or by Jina Reader.
  # webRead:
  #   provider: local

# MCP servers whose tools are offered, each behind the same rules. \`haft mcp add\` writes them, \`haft mcp status\` tries them.
# mcpServers:
#   memory:
#     command: node_modules/.bin/mcp-server-memory

# Commands that are asked before and after calls, beside those in agent/hooks. \`haft hooks\` lists them.
# hooks:
#   - id: no-force
#     type: pre_tool
#     tools: [bash]
#     command: "! grep -q -e --force"

# Which tools an agent has, by its id. \`haft tools --agent\` shows what these leave it.
# agents:
#   reviewer:
#     allowedTools: [read, grep, glob]

# The language models that may be asked, and what for. \`haft models\` lists them, \`haft models test NAME\` asks one.
# models:
#   small:
#     provider: openai-compatible
#     url: http://127.0.0.1:11434/v1
#     model: qwen3
# agent:
#   model: small
#   memoryModel: small

# How far calls may go by themselves. plan: only look. ask: the rules as they are. auto: also what runs in the sandbox
# without known risk. locked: only what rules allow; nobody is asked.
mode: ask

# What becomes of a call that the ledger cannot record, for instance on a full disk. required: it is refused, reads too.
# best-effort: it runs, and its result says that there is no record of it.
# ledger: required

# Rules, beside the default ones: reading and changing files in allowedPaths and reaching allowedHosts is allowed,
# and so are harmless commands; everything else asks. Where several hold for a call, deny beats ask beats allow.
# \`haft policy\` lists all rules, \`haft policy explain\` says what decides a call.
# permissions:
#   - decision: allow
#     tool: bash
#     target: "npm test*"
#   - decision: deny
#     effect: write
#     target: "**/.env*"
#     reason: secrets are not for tools

# Rules to come, in place of permissions: the ledger notes what they would change; \`haft policy shadow\` shows it.
# shadowPermissions:
#   - decision: deny
#     effect: connect

# What has to be decided of some calls. \`haft policy test\` runs them.
# policyTests:
#   - tool: bash
#     arguments: { command: npm test }
#     expect: allow
#   - tool: write
#     arguments: { path: .env, content: "" }
#     expect: deny
#     by: secrets are not for tools

# How long a call waits for the answer to its question, and how long the question can be answered, in milliseconds.
# approvals:
#   wait: 300000
#   life: 3600000

# The weakest isolation at which commands may run: bubblewrap, unshare, other-user, process-group or none; and what
# one call may use: memory, one file and each temporary folder in MiB.
# sandbox:
#   atLeast: other-user
#   memory: 4096
#   processes: 1024
#   fileSize: 4096
#   temporary: 1024

# What is kept of the allowed folders so that \`haft undo\` covers commands; of larger folders nothing is, and commands ask.
# snapshots:
#   maxFiles: 50000
#   maxSize: 1024

# What agents remember. vocabularies: memories (memory_store, memory_recall, …), blocks, files (Markdown) or notes. A model,
# which is sent what is in memory, notes what conversations tell.
# memory:
#   vocabularies: [memories]

# The port of \`haft serve\` on this machine; 0 takes any free one. What clients are shown: all tools, a lean list, or
# what tools.budget says (auto); and single clients, each at /mcp/NAME or with \`haft mcp --client NAME\`.
# serve:
#   port: 4280
#   expose: auto
#   clients:
#     cursor: { expose: all }

# How the next key of the stored secrets is kept: file, passphrase or keyring. Taken from your own config.yml only.
# secrets:
#   key: file

# Where calls are written down, and how safely: normal survives kill -9, full also the loss of power.
# store:
#   durability: normal
`;
}
