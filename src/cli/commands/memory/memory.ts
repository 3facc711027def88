import type { Command } from "commander";
import { nearestNames } from "../../../base/index.ts";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import type { MemoryOptions } from "../../memory/open-memory.ts";
import type { Session } from "../../session.ts";
import { addMemoryCommands } from "./commands.ts";

export function defineMemory(command: Command, session: Session): void {
  addMemoryCommands(command, session);
  command
    .option(
      "--agent <id>",
      "the memory of this agent, one of `agents` in the configuration (default: -, that of calls that name none)",
    )
    .allowExcessArguments()
    .action(async (options: MemoryOptions) => {
      refuseUnknown(command);
      await (await import("./overview.ts")).showOverview(session, options);
    });
  addExamples(command, [
    ["haft memory", "how much is remembered, where it lies, and what waits to be done"],
    ["haft memory search where does Ada live", "as a person says it"],
    ["haft memory edit notes/plan", "in your editor; what it said before is kept: haft memory undo"],
    ["haft memory export backup.jsonl", "all of it; `haft memory import --trusted` reads it again"],
    ["haft memory search --help", "each command has such a help"],
  ]);
  command.addHelpText(
    "after",
    "\nYou are the owner: permissions of entries bind agents, not you. All that you change can be undone, but erase.",
  );
}

/** A word that is no command would show an overview, as if it had been one. */
function refuseUnknown({ args: [word], commands }: Command): void {
  if (word === undefined) return;
  const names = commands.map((sub) => sub.name());
  const nearest = nearestNames(word, names);
  const hint = nearest.length > 0 ? `did you mean ${nearest.join(" or ")}` : `there are ${names.join(", ")}`;
  throw new CliError("CLI_USAGE", `Cannot run "haft memory ${word}": there is no such command; ${hint}`);
}
