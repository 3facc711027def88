import { type Command, Option } from "commander";
import { nearestNames } from "../../../base/index.ts";
import { taskTypes, verifications } from "../../../modules/tasks/index.ts";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import { toDollars } from "../../options/dollars.ts";
import { repeatable } from "../../options/repeatable.ts";
import { toNumber } from "../../options/whole-number.ts";
import type { Session } from "../../session.ts";
import type { TaskAction } from "../../tasks/choose-call.ts";
import { addSelection, projectOption } from "../../tasks/selection.ts";
import type { AddOptions } from "./add.ts";
import type { ChangeOptions } from "./change.ts";
import type { ListOptions } from "./list.ts";
import type { ReplayOptions } from "./replay.ts";
import type { ResumeOptions } from "./resume.ts";
import type { TreeOptions } from "./tree.ts";
import type { WatchOptions } from "./watch.ts";

/** `haft tasks`: only the code of the command that was typed is loaded. */
export function defineTasks(command: Command, session: Session): void {
  defineLooking(command, session);
  defineChanging(command, session);
  addExamples(command, [
    ["haft tasks", "what is open, who waits for whom since when, and what it has cost"],
    ["haft tasks --state blocked --project app", "what stands still in one project"],
    ["haft tasks show brave-fox", "one task whole, and what you can do about it"],
    ['haft tasks add "Write the tests" --depends-on brave-fox', "a task by hand, that waits for another"],
    ['haft tasks retry brave-fox "Keep the old names"', "once more, with a word to whoever does it"],
    ["haft tasks add --help", "each command has such a help"],
  ]);
  command.addHelpText(
    "after",
    "\nAgents make tasks by create_task and spawn_task, and any MCP client works on them by claim_task\nand complete_task. What you change here goes by the rules of this folder, and is in\n`haft audit`.",
  );
}

function define(command: Command, name: string, summary: string, isDefault = false): Command {
  return command
    .command(name, { isDefault })
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .addHelpText("after", "\n--json, --folder, --home and --verbose are options here, too.");
}

const idMeaning = "its id, such as brave-fox";

function defineLooking(command: Command, session: Session): void {
  const list = define(command, "list", "the tasks that are not done, the most urgent first", true);
  addSelection(list);
  list
    .option("--limit <n>", "at most this many, 1 to 1000", toNumber(1, 1000), 50)
    .option("--after <page>", "go on with this page, as the one before named it")
    .allowExcessArguments()
    .action(async (options: ListOptions) => {
      refuseUnknown(list, command);
      return (await import("./list.ts")).listTasks(session, options);
    });
  addExamples(list, [
    ["haft tasks list --all", "those that are done, too"],
    ["haft tasks list --state waiting-input --state blocked", "what waits for you"],
  ]);
  const tree = define(command, "tree", "tasks below those that they are a part of");
  addSelection(tree.argument("[task]", `only this one and its subtasks: ${idMeaning}`));
  tree
    .option("--depth <n>", "how deep, 1 to 20", toNumber(1, 20), 4)
    .action(async (id: string | undefined, options: TreeOptions) =>
      (await import("./tree.ts")).showTree(session, id, options),
    );
  define(command, "show", "all of one task: how it stands, notes, results and history")
    .argument("<task>", idMeaning)
    .action(async (id: string) => (await import("./show.ts")).showTask(session, id));
  const replay = define(command, "replay", "what was said while an agent worked on it, a line for each call")
    .argument("<task>", idMeaning)
    .option("--from <n>", "begin with this entry", toNumber(1, 1_000_000_000), 1)
    .option("--limit <n>", "at most so many entries, 1 to 10000", toNumber(1, 10_000), 100)
    .action(async (id: string, options: ReplayOptions) =>
      (await import("./replay.ts")).replayTask(session, id, options),
    );
  replay.addHelpText("after", "`haft replay` is another thing: it holds recorded calls against now.");
  const watch = define(command, "watch", "print each task that is done, fails or waits for you, as it comes")
    .addOption(projectOption("only of this project"))
    .option("--notify", "show each on the desktop too")
    .action(async (options: WatchOptions) => (await import("./watch.ts")).watchTasks(session, options));
  addExamples(watch, [["haft tasks watch --json | jq -r .id", "a JSON object a line"]]);
}

function defineChanging(command: Command, session: Session): void {
  const add = withYes(define(command, "add", "make a task by hand"))
    .argument("[text...]", "what is to be done; its first line is the title, standard input is added to it")
    .addOption(projectOption("its project (default: that of this folder)"))
    .addOption(repeatable("--depends-on <task>", "it waits until this one is done (repeatable)"))
    .option("--part-of <task>", "it is a subtask of this one")
    .option("--priority <n>", "lower comes first (default: 100)", toNumber(0, 1_000_000))
    .addOption(new Option("--kind <kind>", "what kind of work it is").choices(taskTypes))
    .addOption(new Option("--verified-by <who>", "who checks that it is done").choices(verifications))
    .option("--approval", "it is done only once you have approved it")
    .option("--retries <n>", "how often a failure is tried again (default: 3)", toNumber(0, 100))
    .action(async (words: readonly string[], options: AddOptions) =>
      (await import("./add.ts")).addTask(session, words.join(" "), options),
    );
  addExamples(add, [
    ['haft tasks add "Fix the parser" --priority 10 --approval', "ahead of others, and done once you say so"],
    ["haft tasks add < issue.md", "the first line is the title"],
  ]);
  const act = (name: TaskAction, summary: string) =>
    withYes(define(command, name, summary)).argument("<task>", idMeaning);
  const plain = (name: TaskAction, summary: string) =>
    act(name, summary).action(async (id: string, options: ChangeOptions) =>
      (await import("./change.ts")).changeTask(session, name, id, options),
    );
  plain("stop", "end the work on a task; it is blocked until you retry or skip it");
  const resume = define(
    command,
    "resume",
    "go on with the work of an agent that paused, waits or ended, or tell it something",
  )
    .argument("<task>", idMeaning)
    .argument("[text...]", "what it is told, such as the answer to its question")
    .option(
      "--steps <n>",
      "how many more steps it may have (default: as many as before)",
      toNumber(1, 10_000),
    )
    .option(
      "--budget <usd>",
      "the most that it may cost, what it has spent included, in US dollars",
      toDollars,
    )
    .option("--detach", "leave it to the haft that works in the background for this folder")
    .option("-y, --yes", "answer yes to every question about its calls; rules that deny still deny")
    .action(async (id: string, words: readonly string[], options: ResumeOptions) =>
      (await import("./resume.ts")).resumeTask(session, id, { ...options, words: words.join(" ") }),
    );
  addExamples(resume, [
    ["haft tasks resume brave-fox", "where it paused, such as at its budget"],
    ['haft tasks resume brave-fox "Use the test server"', "with what it was waiting for"],
  ]);
  act("retry", "do a task once more, even one that is done")
    .argument("[text...]", "what was wrong with the last attempt, for the next")
    .action(async (id: string, words: readonly string[], options: ChangeOptions) =>
      (await import("./change.ts")).changeTask(session, "retry", id, { ...options, words: words.join(" ") }),
    );
  const approve = plain(
    "approve",
    "say that a task is done, or that its plan is good, where it waits for that",
  );
  approve.addHelpText(
    "after",
    "\nOnly a person can: no agent and no tool, and with the owner's PIN where one is set (`haft approvals pin`).",
  );
  plain("skip", "let others go on without a task that failed or is blocked");
  plain("archive", "put a task away that is done, failed or blocked");
  plain("restore", "bring a task back from the archive");
}

function withYes(command: Command): Command {
  return command.option("-y, --yes", "answer yes where a rule would ask; rules that deny still deny");
}

/** Refuses a word that is no command; without this it would list the tasks. */
function refuseUnknown({ args: [word] }: Command, { commands }: Command): void {
  if (word === undefined) return;
  const names = commands.map((sub) => sub.name());
  const nearest = nearestNames(word, names);
  const hint =
    nearest.length > 0
      ? `did you mean ${nearest.join(" or ")}`
      : `there are ${names.join(", ")}; \`haft tasks show ${word}\` shows a task`;
  throw new CliError("CLI_USAGE", `Cannot run "haft tasks ${word}": there is no such command; ${hint}`);
}
