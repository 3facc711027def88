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

/** Where the first word is a tool's name, or comes after another word. */
const toolPlaces: Readonly<Record<string, readonly string[]>> = {
  call: [""],
  tools: ["show"],
  policy: ["explain"],
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
        ...command.options.flatMap(({ long, description }) =>
          long ? [{ name: long, summary: description }] : [],
        ),
        { name: "--help", summary: "show this help" },
      ],
      words: command.registeredArguments[0]?.argChoices ?? [],
      toolAfter: toolPlaces[entry.name] ?? [],
    });
  }
  return described;
}
