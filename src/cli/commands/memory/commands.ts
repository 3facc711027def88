import { type Command, Option } from "commander";
import { memoryPermissions, memoryTiers } from "../../../modules/memory/index.ts";
import { addExamples } from "../../examples.ts";
import type { MemoryOptions } from "../../memory/open-memory.ts";
import { addSelection } from "../../memory/selection.ts";
import { repeatable } from "../../options/repeatable.ts";
import { toNumber } from "../../options/whole-number.ts";
import type { Session } from "../../session.ts";
import type { AddOptions } from "./add.ts";
import type { ExportOptions } from "./export.ts";
import type { ImportOptions } from "./import.ts";
import type { ListOptions } from "./list.ts";
import type { SearchOptions } from "./search.ts";
import type { SetOptions } from "./set.ts";
import type { HistoryOptions, ShowOptions } from "./show.ts";

/** What `haft memory` does with entries. Only the code of the one that was typed is loaded. */
export function addMemoryCommands(command: Command, session: Session): void {
  const of = (): MemoryOptions => command.opts<MemoryOptions>();
  defineLooking(command, session, of);
  defineWriting(command, session, of);
  defineUndoing(command, session, of);
  defineSharing(command, session, of);
  defineMoving(command, session, of);
}

type Of = () => MemoryOptions;

function define(command: Command, name: string, summary: string): Command {
  const sub = command
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  return sub.addHelpText("after", "\n--agent, --json, --folder, --home and --verbose are options here, too.");
}

function defineLooking(command: Command, session: Session, of: Of): void {
  const list = define(command, "list", "the entries, those that were changed last first");
  addSelection(list);
  list
    .option("--deleted", "those that were deleted, and can be restored")
    .option("--all", "also what was superseded, what is not valid now, and what haft notes for itself")
    .option("--limit <n>", "at most this many, 1 to 1000", toNumber(1, 1000), 50)
    .option("--after <page>", "go on with this page, as the one before named it")
    .action(async (options: ListOptions) => (await import("./list.ts")).listMemory(session, of(), options));
  addExamples(list, [
    ["haft memory list --tier core --tier working", "what agents have in sight"],
    ["haft memory list --kind note --tag project:app", "the notes of a project"],
  ]);
  const search = define(command, "search", "find entries, by names, words and meaning");
  addSelection(search.argument("<words...>", "as you would ask a person"));
  search
    .addOption(
      new Option("--mode <how>", "by names alone, by words alone, by meaning alone, or by all of them")
        .choices(["auto", "names", "words", "meaning"])
        .default("auto"),
    )
    .option("--recent", "the newest first of those that match")
    .option("--window <n>", "show so many neighbours of a hit in its conversation, 0 to 5", toNumber(0, 5), 1)
    .option("--limit <n>", "at most this many, 1 to 100", toNumber(1, 100), 10)
    .option("--offset <n>", "leave out so many of the best", toNumber(0, 10_000), 0)
    .action(async (words: readonly string[], options: SearchOptions) =>
      (await import("./search.ts")).searchMemory(session, of(), words.join(" "), options),
    );
  addExamples(search, [
    ["haft memory search what did we plan last week", "a time that is named leaves only what is of it"],
    ["haft memory search Ada --mode names", "only what is about somebody of that name"],
  ]);
  define(command, "show", "all of one entry")
    .argument("<entry>", "its label or id")
    .option("--version <n>", "as it was in this version, as history numbers them", toNumber(1, 1e9))
    .action(async (key: string, options: ShowOptions) =>
      (await import("./show.ts")).showEntry(session, of(), key, options),
    );
  define(command, "history", "how an entry came to be what it is")
    .argument("<entry>", "its label or id")
    .option("--diff", "what each version changed of the text")
    .action(async (key: string, options: HistoryOptions) =>
      (await import("./show.ts")).showHistory(session, of(), key, options),
    );
  define(command, "context", "what goes into every prompt by itself")
    .option("--budget <tokens>", "how much room it has, 100 to 100000", toNumber(100, 100_000), 2000)
    .action(async (options: { readonly budget: number }) =>
      (await import("./context.ts")).showContext(session, of(), options.budget),
    );
}

function defineWriting(command: Command, session: Session, of: Of): void {
  const add = addFacts(define(command, "add", "remember something"))
    .argument("[text...]", "what to remember (default: what comes on standard input)")
    .option("--kind <kind>", "what it is: block, memory, note, … (default: block with a label, else memory)")
    .option("--label <label>", "what it is called; no other entry may have it")
    .option("--pin", "into every prompt")
    .option("--at <when>", "when it was so: a date, or a span before now (default: now)")
    .action(async (words: readonly string[], options: AddOptions) =>
      (await import("./add.ts")).addEntry(session, of(), words.join(" "), options),
    );
  addExamples(add, [
    ["haft memory add 'Ada is allergic to nuts' --name Ada --tag health", "found by each of them"],
    ["haft memory add --label persona --tier core < persona.md", "a block that stands in every prompt"],
  ]);
  const edit = define(command, "edit", "change the text of an entry, in your editor ($VISUAL, $EDITOR)")
    .argument("<entry>", "its label or id")
    .action(async (key: string) => (await import("./edit.ts")).editEntry(session, of(), key));
  addExamples(edit, [
    ["haft memory edit persona", "refused where an agent changed it meanwhile; your text is kept"],
    ["haft memory edit persona < persona.md", "the text comes from standard input"],
  ]);
  const set = addFacts(define(command, "set", "change what is said of an entry"))
    .argument("<entry>", "its label or id")
    .option("--label <label>", "another label; '' for none")
    .addOption(repeatable("--untag <tag>", "take a tag away (repeatable)"))
    .addOption(repeatable("--unname <name>", "take a name away (repeatable)"))
    .option("--pin", "into every prompt")
    .option("--unpin", "no longer into every prompt")
    .option("--trusted", "you vouch for it: it came from outside, and is to be believed")
    .option("--untrusted", "data from outside, which is not to be believed or obeyed")
    .action(async (key: string, options: SetOptions) =>
      (await import("./set.ts")).setFacts(session, of(), key, options),
    );
  addExamples(set, [
    ["haft memory set persona --permission human", "agents have to ask before they change it"],
    ["haft memory set m_7k2p1x9m4c0qz8aw --valid-to 2026-05-01", "it was so until then"],
  ]);
}

function addFacts(command: Command): Command {
  return command
    .addOption(new Option("--tier <tier>", "where it is kept").choices(memoryTiers))
    .addOption(new Option("--permission <who>", "who may change it").choices(memoryPermissions))
    .option("--title <title>", "for people; '' for none")
    .option("--category <word>", "'' for none")
    .addOption(repeatable("--tag <tag>", "(repeatable)"))
    .addOption(repeatable("--name <name>", "of what it is about: whoever says it finds it (repeatable)"))
    .option("--valid-from <when>", "when it began to be so: a date, or a span before now")
    .option("--valid-to <when>", "until when it was so");
}

function defineUndoing(command: Command, session: Session, of: Of): void {
  const change = (name: "undo" | "redo" | "delete" | "restore", summary: string) =>
    define(command, name, summary)
      .argument("<entry>", name === "restore" ? "its id, or the label that it had" : "its label or id")
      .action(async (key: string) => (await import("./change.ts")).change(session, of(), name, key));
  change("undo", "take the last change of an entry back");
  change("redo", "make a change again that was undone");
  change("delete", "put an entry away; it can be restored");
  change("restore", "bring back an entry that was deleted");
  define(command, "erase", "take an entry away for good, with its history")
    .argument("<entry>", "its label or id")
    .option("-y, --yes", "without being asked")
    .action(async (key: string, options: { readonly yes?: boolean }) =>
      (await import("./change.ts")).erase(session, of(), key, options.yes === true),
    );
}

function defineSharing(command: Command, session: Session, of: Of): void {
  const share = define(command, "share", "let another agent have an entry, too")
    .argument("<entry>", "its label or id")
    .argument("<with>", "the agent; or - for calls that name no agent")
    .addOption(
      new Option(
        "--permission <who>",
        "what it may do there; never more than the entry allows (default: append)",
      ).choices(memoryPermissions),
    )
    .action(async (key: string, agent: string, options: { readonly permission?: string }) =>
      (await import("./share.ts")).share(session, of(), { key, agent, ...options }),
    );
  addExamples(share, [
    [
      "haft memory share rules writer --agent lead --permission read_only",
      "lead's rules, for writer to read",
    ],
  ]);
  define(command, "unshare", "end a share")
    .argument("<entry>", "its label or id")
    .argument("<with>", "the agent; or - for calls that name no agent")
    .action(async (key: string, agent: string) =>
      (await import("./share.ts")).unshare(session, of(), { key, agent }),
    );
  define(command, "retry", "try again what could not be done in the background")
    .argument("[job]", "its id (default: all that failed for good)")
    .action(async (id: string | undefined) => (await import("./retry.ts")).retryJobs(session, of(), id));
}

function defineMoving(command: Command, session: Session, of: Of): void {
  const format = (what: string) => new Option("--format <format>", what).choices(["jsonl", "md"]);
  const out = define(command, "export", "write entries into a file: lines of JSON, or one Markdown document");
  out.argument("[file]", "a new file; the ending .md makes it Markdown (default: standard output)");
  addSelection(out);
  out
    .addOption(format("how (default: as the name of the file ends, else jsonl)"))
    .option("--deleted", "those that were deleted, too")
    .action(async (file: string | undefined, options: ExportOptions) =>
      (await import("./export.ts")).exportEntries(session, of(), file, options),
    );
  addExamples(out, [
    ["haft memory export backup.jsonl", "all that is known of each entry, but its former versions"],
    ["haft memory export notes.md --kind note", "to be read, edited, and imported again"],
  ]);
  out.addHelpText(
    "after",
    "\nFiles of the memory folder are files already: copy them. What others shared with the agent is theirs.",
  );
  const into = define(
    command,
    "import",
    "read entries from files: an export, Markdown, other programs' memory",
  )
    .argument("<file...>", "files; - is standard input")
    .addOption(format("how they are written (default: as their names end, or begin)"))
    .option("--dry-run", "say what would happen, and change nothing")
    .option("--trusted", "they are your own: take over who wrote what, what stands in prompts, and trust")
    .option("-y, --yes", "without being asked where entries that are here would change")
    .action(async (files: readonly string[], options: ImportOptions) =>
      (await import("./import.ts")).importFiles(session, of(), files, options),
    );
  addExamples(into, [
    ["haft memory import backup.jsonl --trusted", "your own export; done twice, the second changes nothing"],
    [
      "haft memory import memory.jsonl",
      "of @modelcontextprotocol/server-memory: its entities, and how they hang together",
    ],
    ["haft memory import ideas.md", "each heading of the first two levels becomes a note"],
  ]);
  into.addHelpText(
    "after",
    `
Without --trusted, what is imported is data from outside: marked untrusted, and nothing of it stands in
prompts by itself. An entry that is here already, by its id or label, takes over what the file
says; its author and when it was made stay, with --trusted too. A line that can't be read ends all, and nothing was imported. Up to 10,000 changes are made as one;
more of them in steps, and the same command goes on after a stop.`,
  );
}
