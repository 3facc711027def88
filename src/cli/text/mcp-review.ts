import { diffDefinitions, type WaitingTool } from "../../app/servers/index.ts";
import { type DiffLine, showInvisible } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { shownWord } from "./mcp-server.ts";

/** All that differs, each line as it is written: what can't be seen is shown as `\u{…}`. */
export function renderWaiting({ server, tool, before, after }: WaitingTool, terminal: Terminal): string {
  const what = before === undefined ? "is new" : "has changed";
  const head = `${terminal.paint("bold", `${shownWord(server)}  ${shownWord(tool)}`)}  ${what}\n`;
  const lines = diffDefinitions(before, after);
  return head + lines.map((line) => renderLine(line, terminal)).join("");
}

function renderLine(line: DiffLine | undefined, terminal: Terminal): string {
  if (line === undefined) return `    ${terminal.paint("dim", "…")}\n`;
  const text = `  ${line.kind} ${showInvisible(line.text)}`.trimEnd();
  const paint = line.kind === "+" ? "green" : line.kind === "-" ? "red" : "dim";
  return `${terminal.paint(paint, text)}\n`;
}
