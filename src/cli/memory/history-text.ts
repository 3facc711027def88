import { diffLines } from "../../base/index.ts";
import type { MemoryVersion } from "../../modules/memory/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "../text/table.ts";
import { authorText, shown, toMinute } from "./entry-text.ts";

/** One line a version, the newest first. */
export function renderHistory(versions: readonly MemoryVersion[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "Version", align: "right" },
      { title: "When" },
      { title: "By" },
      { title: "Change" },
      { title: "Text", overflow: "cut" },
    ],
    versions.map(({ version, at, author, change, text, trust, deleted, current }) => [
      `${current ? "*" : ""}${version}`,
      toMinute(at),
      shown(terminal, authorText(author), 60),
      change,
      [deleted ? "[deleted]" : "", trust === "untrusted" ? "[untrusted]" : "", shown(terminal, text, 300)]
        .filter((part) => part !== "")
        .join(" "),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

/** What each version made of the text of the one before it, the newest first. */
export function renderDifferences(versions: readonly MemoryVersion[], terminal: Terminal): string {
  return versions
    .map((each, index) => {
      const before = versions[index + 1];
      const title = `${each.version}${each.current ? ", in force" : ""}: ${each.change}, ${toMinute(each.at)}, ${authorText(each.author)}`;
      return `${terminal.paint("bold", shown(terminal, title))}\n${differences(before?.text, each.text, terminal)}`;
    })
    .join("\n");
}

function differences(before: string | undefined, text: string, terminal: Terminal): string {
  const lines = diffLines(before === undefined ? [] : before.split("\n"), text.split("\n"));
  if (lines.every(({ kind }) => kind === " ")) return "  the text stayed as it was\n";
  return lines
    .filter(({ kind }) => kind !== " ")
    .map(
      ({ kind, text: line }) =>
        `${terminal.paint(kind === "+" ? "green" : "red", `${kind} ${terminal.foreign(line)}`)}\n`,
    )
    .join("");
}
