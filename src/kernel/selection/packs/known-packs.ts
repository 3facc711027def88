/** What is known of a pack beside its tools. */
export interface PackInfo {
  readonly name: string;
  /** For the model: what its tools are for. */
  readonly description: string;
  /** Its tools are shown from the start. @default false */
  readonly alwaysLoad?: boolean;
}

/** The packs that every installation may have. Descriptions never change while a program runs. */
export const knownPacks: readonly PackInfo[] = [
  { name: "git", description: "Branch, commit, push, PR, and merge operations" },
  { name: "project", description: "Project CRUD, workspace management" },
  { name: "agent", description: "Agent management, agent profiles" },
  { name: "hooks", description: "Direct hook management (low-level)" },
  { name: "memory", description: "Memory operations beyond search, notes, project profiles" },
  { name: "files", description: "Read, write, edit, search, and browse files in project workspaces" },
  { name: "system", description: "Token usage, config, diagnostics, task lifecycle ops, prompts" },
  { name: "shell", description: "Run commands, and watch or stop those that run in the background" },
  { name: "network", description: "Read web pages, search the web, make HTTP requests" },
  { name: "data", description: "Query, convert and transform JSON, CSV and text" },
  { name: "calls", description: "Make many calls of tools in one: chains fed from each other, and scripts" },
  { name: "selection", description: "Find, load, describe and call the tools that are not shown" },
  { name: "secrets", description: "Store, list and delete secrets; their values are never shown" },
  { name: "skills", description: "Instructions for kinds of work, to be read when they are needed" },
  { name: "extensions", description: "Reload and inspect extensions" },
  { name: "markdown", description: "Tools written in Markdown by the owner of this installation" },
];
