/** The commands of the chat. */
const names = [
  "help",
  "new",
  "sessions",
  "resume",
  "fork",
  "model",
  "agent",
  "tools",
  "tasks",
  "usage",
  "compact",
  "memory",
  "approvals",
  "stop",
  "exit",
] as const;

/** The name of a command of the chat. */
export type ChatCommandName = (typeof names)[number];

/** A command of the chat, typed after a slash. */
export interface ChatCommand {
  readonly name: ChatCommandName;
  readonly argument?: string;
  readonly summary: string;
}

/** Commands that can be typed in a chat, in the order of `/help`. */
export const chatCommands: readonly ChatCommand[] = [
  { name: "help", summary: "this list" },
  { name: "new", summary: "begin another conversation" },
  {
    name: "sessions",
    argument: "[all]",
    summary: "conversations of this folder, and of others; with all, those of tasks, too",
  },
  {
    name: "resume",
    argument: "[id]",
    summary: "go on with another conversation, or with what paused in this one",
  },
  { name: "fork", summary: "go on with a copy of this conversation, and leave it as it is" },
  { name: "model", argument: "[name]", summary: "ask another model from now on; without a name, list them" },
  {
    name: "agent",
    argument: "[id]",
    summary: "begin a conversation with another agent; without an id, list them",
  },
  { name: "tools", summary: "the tools that the agent is shown" },
  { name: "tasks", summary: "tasks that are not done: who waits for whom, since when, and what they cost" },
  { name: "usage", summary: "tokens and money used, and how much was cached" },
  { name: "compact", summary: "sum up the older part of the conversation now" },
  { name: "memory", summary: "the part of memory that goes into every prompt" },
  { name: "approvals", summary: "questions that wait for an answer" },
  { name: "stop", summary: "interrupt the agent, as Ctrl-C does" },
  { name: "exit", summary: "leave; `haft chat --resume` comes back" },
];

/** Other words for the commands. */
const aliases: ReadonlyMap<string, ChatCommandName> = new Map([
  ["cost", "usage"],
  ["quit", "exit"],
  ["?", "help"],
]);

/** One parsed line of the chat. */
export type ChatLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "command"; readonly name: ChatCommandName; readonly argument: string }
  | { readonly kind: "unknown"; readonly name: string };

/** Parses a line as it was typed. `//` begins a message that itself begins with a slash. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  if (!text.startsWith("/")) return { kind: "said", text };
  if (text.startsWith("//")) return { kind: "said", text: text.slice(1) };
  const [word = "", ...rest] = text.slice(1).split(/\s+/);
  const wanted = aliases.get(word) ?? word;
  const found = chatCommands.find(({ name }) => name === wanted);
  if (found === undefined) return { kind: "unknown", name: word };
  return { kind: "command", name: found.name, argument: rest.join(" ") };
}

/** The whole lines that a line with a command can go on to. */
export function completeChatLine(
  line: string,
  known: Readonly<Partial<Record<ChatCommandName, readonly string[]>>>,
): readonly string[] {
  const [, word, start] = /^\/(\S*)(?: (\S*))?$/.exec(line) ?? [];
  if (word === undefined) return [];
  if (start === undefined)
    return chatCommands
      .filter(({ name }) => name.startsWith(word))
      .map(({ name, argument }) => `/${name}${argument === undefined ? "" : " "}`);
  const values = chatCommands.find(({ name }) => name === word) && known[word as ChatCommandName];
  return (values ?? []).filter((value) => value.startsWith(start)).map((value) => `/${word} ${value}`);
}
