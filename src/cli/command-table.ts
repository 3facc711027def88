import type { CommandEntry } from "./command-entry.ts";

/** All commands, in the order of the help text. A new one is a line here and a file in `commands/`. */
export const commands: readonly CommandEntry[] = [
  {
    name: "serve",
    summary: "Offer the tools to MCP clients over HTTP",
    group: "Offer the tools",
    isServer: true,
    load: async () => (await import("./commands/serve.ts")).defineServe,
  },
  {
    name: "mcp",
    summary: "Offer the tools to the client that started this; add and review MCP servers",
    group: "Offer the tools",
    isServer: true,
    load: async () => (await import("./commands/mcp/mcp.ts")).defineMcp,
  },
  {
    name: "acp",
    summary: "Let an editor that speaks the Agent Client Protocol talk to the agent",
    group: "Offer the tools",
    isServer: true,
    load: async () => (await import("./commands/acp.ts")).defineAcp,
  },
  {
    name: "connect",
    summary: "Let an MCP client work with haft instead of its own file and shell tools",
    group: "Offer the tools",
    load: async () => (await import("./commands/connect.ts")).defineConnect,
  },
  {
    name: "bridge",
    summary: "Pair a program or a browser page that lends its own tools",
    group: "Offer the tools",
    load: async () => (await import("./commands/bridge.ts")).defineBridge,
  },
  {
    name: "chat",
    summary: "Talk to the agent at the terminal",
    group: "Use them here",
    load: async () => (await import("./commands/chat.ts")).defineChat,
  },
  {
    name: "run",
    summary: "Let the agent do one thing, and print its answer",
    group: "Use them here",
    load: async () => (await import("./commands/run.ts")).defineRun,
  },
  {
    name: "sessions",
    summary: "List, show, export, copy and delete conversations with the agent",
    group: "Use them here",
    load: async () => (await import("./commands/sessions.ts")).defineSessions,
  },
  {
    name: "tasks",
    summary: "List tasks, who waits for whom and what they cost; add, resume, retry, stop, approve",
    group: "Use them here",
    load: async () => (await import("./commands/tasks/tasks.ts")).defineTasks,
  },
  {
    name: "tools",
    summary: "List, show and search the tools; write, check and test your own",
    group: "Use them here",
    load: async () => (await import("./commands/tools/tools.ts")).defineTools,
  },
  {
    name: "call",
    summary: "Call one tool, through the same gate as any client",
    group: "Use them here",
    load: async () => (await import("./commands/call.ts")).defineCall,
  },
  {
    name: "memory",
    summary: "Look at what agents remember; search, edit, share, export and import it",
    group: "Use them here",
    load: async () => (await import("./commands/memory/memory.ts")).defineMemory,
  },
  {
    name: "console",
    summary: "Open the console in your browser; list and end its sessions",
    group: "Use them here",
    load: async () => (await import("./commands/console.ts")).defineConsole,
  },
  {
    name: "approvals",
    summary: "List and answer the questions that calls wait for",
    group: "Use them here",
    load: async () => (await import("./commands/approvals.ts")).defineApprovals,
  },
  {
    name: "grants",
    summary: "List and revoke what was allowed for longer than once",
    group: "Use them here",
    load: async () => (await import("./commands/grants.ts")).defineGrants,
  },
  {
    name: "policy",
    summary: "List the rules, explain a decision, test them and try new ones out",
    group: "Use them here",
    load: async () => (await import("./commands/policy.ts")).definePolicy,
  },
  {
    name: "hooks",
    summary: "List the hooks: what each runs, how often it said no or failed",
    group: "Use them here",
    load: async () => (await import("./commands/hooks.ts")).defineHooks,
  },
  {
    name: "audit",
    summary: "Show past calls: who allowed them, how they ended",
    group: "Use them here",
    load: async () => (await import("./commands/ledger/audit.ts")).defineAudit,
  },
  {
    name: "trace",
    summary: "Show what a call or a run of the agent led to, and what took how long",
    group: "Use them here",
    load: async () => (await import("./commands/ledger/trace.ts")).defineTrace,
  },
  {
    name: "usage",
    summary: "Show what language models were asked for: cost and tokens, by day, model and agent",
    group: "Use them here",
    load: async () => (await import("./commands/usage.ts")).defineUsage,
  },
  {
    name: "replay",
    summary: "Hold recorded calls against what tools, rules and results are now",
    group: "Use them here",
    load: async () => (await import("./commands/ledger/replay.ts")).defineReplay,
  },
  {
    name: "undo",
    summary: "Put back the files that one call changed",
    group: "Use them here",
    load: async () => (await import("./commands/undo.ts")).defineUndo,
  },
  {
    name: "init",
    summary: "Write a commented haft.config.yml into this folder",
    group: "Look after it",
    load: async () => (await import("./commands/init.ts")).defineInit,
  },
  {
    name: "trust",
    summary: "Let the configuration, tools, hooks and extensions of a folder work",
    group: "Look after it",
    load: async () => (await import("./commands/trust.ts")).defineTrust,
  },
  {
    name: "secret",
    summary: "Store, list and delete secrets, which only the tools that declare them get",
    group: "Look after it",
    load: async () => (await import("./commands/secret.ts")).defineSecret,
  },
  {
    name: "models",
    summary: "List the language models and what they lack; test one",
    group: "Look after it",
    load: async () => (await import("./commands/models.ts")).defineModels,
  },
  {
    name: "doctor",
    summary: "Check the installation and say what to do",
    group: "Look after it",
    load: async () => (await import("./commands/doctor.ts")).defineDoctor,
  },
  {
    name: "backup",
    summary: "Write everything that haft stores into one file",
    group: "Look after it",
    load: async () => (await import("./commands/backup.ts")).defineBackup,
  },
  {
    name: "restore",
    summary: "Verify a backup and restore it",
    group: "Look after it",
    load: async () => (await import("./commands/restore.ts")).defineRestore,
  },
  {
    name: "completion",
    summary: "Print a script for your shell that completes names",
    group: "Look after it",
    load: async () => (await import("./commands/completion.ts")).defineCompletion,
  },
  {
    name: "__names",
    summary: "Print the names that completion scripts offer",
    group: "Look after it",
    hidden: true,
    load: async () => (await import("./commands/names.ts")).defineNames,
  },
];

export function findCommand(name: string): CommandEntry | undefined {
  return commands.find((entry) => entry.name === name);
}
