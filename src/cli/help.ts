import type { CommandEntry } from "./command-entry.ts";
import { commands } from "./command-table.ts";
import { exitCodeMeanings, exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";
import { wrapText } from "./text/display-width.ts";
import { renderTable } from "./text/table.ts";

/** Help is for reading: wider lines than this are harder to read. */
const maxWidth = 100;

export function helpWidth(terminal: Terminal): number {
  return Number.isFinite(terminal.width) ? Math.min(terminal.width, maxWidth) : 80;
}

/** The fewest columns in which a description stands beside what it describes, and not below it. */
export const narrowColumns = 60;

/** An option or argument of a command in a narrow terminal: its description below it. */
export function formatNarrowItem(term: string, _: number, description: string): string {
  return description === "" ? `  ${term}` : `  ${term}\n      ${description}`;
}

/** Breaks the lines of a help text that are too long, each with the indent of its beginning. */
export function wrapHelp(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      return wrapText(line.slice(indent.length), width - indent.length).map((part) => indent + part);
    })
    .join("\n");
}

export const commonOptions = [
  { flags: "--json", description: "print JSON on standard output, and nothing else there" },
  { flags: "--folder <dir>", description: "the project folder (default: the working folder)" },
  { flags: "--home <dir>", description: "haft's own folder (default: $HAFT_HOME, or ~/.haft)" },
  { flags: "--verbose", description: "show where a fault came from" },
] as const;

/** What `haft` and `haft help` print. */
export function renderOverview(terminal: Terminal): string {
  const width = helpWidth(terminal);
  // One width for all groups where there is room for it.
  const nameWidth = width < narrowColumns ? 0 : 14;
  const title = (text: string) => terminal.paint("bold", text);
  const table = (rows: readonly (readonly string[])[]) =>
    renderTable([{ title: "" }, { title: "", overflow: "wrap" }], rows, {
      width,
      indent: "  ",
      titles: false,
    });
  const groups = Map.groupBy(
    commands.filter(({ hidden }) => hidden !== true),
    ({ group }) => group,
  );
  const sections = Array.from(
    groups,
    ([group, entries]: [string, CommandEntry[]]) =>
      `${title(`${group}:`)}\n${table(entries.map(({ name, summary }) => [name.padEnd(nameWidth), summary]))}`,
  );
  return [
    `${title("Usage:")} haft <command> [options]\n`,
    wrapHelp(
      "The tools of an agent, behind one gate: files, shell, network, data and system\ntools for any MCP client, with rules, questions, a ledger and undo.\n",
      terminal.width,
    ),
    ...sections,
    `${title("Everywhere:")}\n${table([
      ...commonOptions.map(({ flags, description }) => [flags, description]),
      ["-h, --help", "what a command does, with examples"],
      ["--version", "print the version"],
    ])}`,
    `${title("Start here:")}\n${table([
      ["haft doctor", "is everything in place?"],
      ["haft call current_time", "call a first tool"],
      ["haft serve", "offer the tools to your MCP client"],
    ])}`,
    wrapHelp(
      "`haft help <command>` explains one command, `haft help exit-codes` what it leaves with.\n",
      terminal.width,
    ),
  ].join("\n");
}

/** What `haft help exit-codes` prints. */
export function renderExitCodes(terminal: Terminal): string {
  const rows = (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).map((name) => [
    String(exitCodes[name]),
    exitCodeMeanings[name],
  ]);
  return renderTable(
    [
      { title: "Code", align: "right" },
      { title: "Meaning", overflow: "wrap" },
    ],
    rows,
    { width: helpWidth(terminal), paintTitle: (text) => terminal.paint("bold", text) },
  );
}
