import { Argument, type Command } from "commander";
import { commands } from "../command-table.ts";
import {
  type CompletedCommand,
  type CompletionShell,
  completionShells,
  renderCompletion,
} from "../completion-script.ts";
import { addExamples } from "../examples.ts";
import { createCommand } from "../program.ts";
import type { Session } from "../session.ts";

export function defineCompletion(command: Command, session: Session): void {
  command
    .addArgument(new Argument("<shell>", "the shell you use").choices(completionShells))
    .action(async (shell: CompletionShell) => {
      const script = renderCompletion(shell, await describeCommands(session));
      if (session.asJson) session.terminal.json({ shell, script });
      else session.terminal.out(script);
    });
  addExamples(command, [
    ["source <(haft completion bash)", "for this shell; in ~/.bashrc, for every one"],
    ["source <(haft completion zsh)", "the same for zsh, after compinit"],
    ["haft completion fish > ~/.config/fish/completions/haft.fish", "for fish"],
  ]);
}

/** The commands that take a tool's name, and the words before it: none if it is the first. */
const toolPlaces: Readonly<Record<string, readonly string[]>> = {
  call: [""],
  tools: ["show"],
  policy: ["explain"],
};

/** What `toolPlaces` is for tools, for the names of MCP servers. */
const serverPlaces: Readonly<Record<string, readonly string[]>> = {
  mcp: ["remove", "status", "review", "login", "logout"],
};

/** The ids of tasks, for the shell's completion. */
const taskPlaces: Readonly<Record<string, readonly string[]>> = {
  tasks: [
    "tree",
    "show",
    "replay",
    "stop",
    "resume",
    "retry",
    "approve",
    "skip",
    "archive",
    "--depends-on",
    "--part-of",
  ],
};

async function describeCommands(session: Session): Promise<CompletedCommand[]> {
  const described: CompletedCommand[] = [];
  for (const entry of commands) {
    if (entry.hidden === true) continue;
    const command = await createCommand(entry, session);
    described.push({
      name: entry.name,
      summary: entry.summary,
      options: [
        ...listOptions([...command.commands, command]),
        { name: "--help", summary: "show this help" },
      ],
      words: command.registeredArguments[0]?.argChoices ?? command.commands.map((sub) => sub.name()),
      toolAfter: toolPlaces[entry.name] ?? [],
      serverAfter: serverPlaces[entry.name] ?? [],
      taskAfter: taskPlaces[entry.name] ?? [],
    });
  }
  return described;
}

/** Lists the options of some commands and those below them, each once. */
function listOptions(commands: readonly Command[]): { name: string; summary: string }[] {
  const summaries = commands.flatMap(({ options }) =>
    options.flatMap(({ long, description }): [string, string][] => (long ? [[long, description]] : [])),
  );
  return Array.from(new Map(summaries), ([name, summary]) => ({ name, summary }));
}
