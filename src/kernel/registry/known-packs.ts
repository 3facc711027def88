/** What is known of a pack beside its tools. */
export interface PackInfo {
  readonly name: string;
  /** What the pack's tools are for, told to the model. */
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
  {
    name: "memory",
    description: "Long-term memory, kept between conversations",
  },
  { name: "files", description: "Read, write, edit, search, list and move files and folders" },
  {
    name: "system",
    description: "Current time, waiting, environment variables, and outputs that were too long to show",
  },
  { name: "shell", description: "Run command lines in bash, which return stdout, stderr and exit code" },
  { name: "network", description: "Read web pages, search the web, send HTTP requests" },
  { name: "data", description: "Parse and write JSON, encode and decode text" },
  { name: "calls", description: "Make many calls of tools in one go, by a chain or a short program" },
  { name: "selection", description: "Find, load, describe and call the tools that are not shown" },
  {
    name: "tasks",
    description:
      "Start tasks, wait for them, list and stop them; put them in a queue, take and complete them",
  },
  { name: "todos", description: "Keep the person's todos: add, list, done, drop, snooze" },
  { name: "usage", description: "Tokens and cost of language models, by day, model and task" },
  { name: "secrets", description: "Store, list and delete secrets such as API keys, never their values" },
  { name: "skills", description: "Instructions for kinds of work, to be read when they are needed" },
  { name: "extensions", description: "Reload and inspect extensions" },
  { name: "markdown", description: "Tools written in Markdown by the owner of this installation" },
];
