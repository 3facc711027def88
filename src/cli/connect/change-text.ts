import { type DiffLine, diffLines } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import type { FileChange } from "./file-change.ts";
import { shownPath } from "./shown-path.ts";

/** Number of unchanged lines shown around a change. */
const around = 3;

/** Formats the changes of one file as a line diff. */
export function renderChange({ file, before, after }: FileChange, terminal: Terminal): string {
  const title = before === undefined ? "a new file" : after === undefined ? "removed" : "changed";
  const lines = diffLines(splitLines(before), splitLines(after));
  const shown = lines.flatMap((line, at) => {
    const isNear = lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== " ");
    if (isNear) return [renderLine(line, terminal)];
    const isFirst =
      at === 0 || lines.slice(Math.max(0, at - 1 - around), at + around).some(({ kind }) => kind !== " ");
    return isFirst ? [terminal.paint("dim", "  …")] : [];
  });
  return `${terminal.paint("bold", shownPath(file))}  ${terminal.paint("dim", title)}\n${shown.join("\n")}\n`;
}

function renderLine({ kind, text }: DiffLine, terminal: Terminal): string {
  const line = `${kind} ${terminal.foreign(text)}`;
  if (kind === " ") return line;
  return terminal.paint(kind === "+" ? "green" : "red", line);
}

function splitLines(text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

/** Lists the changes for `--json`, without the texts, as a client's file may hold secrets. */
export function listChanges(
  changes: readonly FileChange[],
): { readonly file: string; readonly change: string }[] {
  return changes.map(({ file, before, after }) => ({
    file,
    change: before === undefined ? "created" : after === undefined ? "removed" : "changed",
  }));
}
