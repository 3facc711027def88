import { type DiffLine, diffLines, isRecord, parseJson, showInvisible } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { shownWord } from "./mcp-server.ts";

/** A definition that waits for its owner. */
export interface WaitingTool {
  readonly server: string;
  readonly tool: string;
  /** Canonical JSON of what may be used; undefined for a tool that is new. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Unchanged lines around a change. */
const contextLines = 3;

/** All that differs, each line as it is written: what can't be seen is shown as `\u{…}`. */
export function renderWaiting({ server, tool, before, after }: WaitingTool, terminal: Terminal): string {
  const what = before === undefined ? "is new" : "has changed";
  const head = `${terminal.paint("bold", `${shownWord(server)}  ${shownWord(tool)}`)}  ${what}\n`;
  const lines = near(diffLines(before === undefined ? [] : formatLines(before), formatLines(after)));
  return head + lines.map((line) => renderLine(line, terminal)).join("");
}

function renderLine(line: DiffLine | undefined, terminal: Terminal): string {
  if (line === undefined) return `    ${terminal.paint("dim", "…")}\n`;
  const text = `  ${line.kind} ${showInvisible(line.text)}`.trimEnd();
  const paint = line.kind === "+" ? "green" : line.kind === "-" ? "red" : "dim";
  return `${terminal.paint(paint, text)}\n`;
}

/** The changes with some lines around them; undefined where lines are left out. */
function near(lines: readonly DiffLine[]): (DiffLine | undefined)[] {
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ kind }) => kind !== " "),
  );
  return lines.flatMap((line, at) => {
    if (shown[at] === true) return [line];
    return at === 0 || shown[at - 1] === true ? [undefined] : [];
  });
}

const order = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/** A definition in lines: texts as they are, the rest as JSON. */
function formatLines(definition: string): string[] {
  const parsed = parseJson(definition);
  if (!isRecord(parsed)) return definition.split("\n");
  const keys = [...order, ...Object.keys(parsed).filter((key) => key !== "name" && !order.includes(key))];
  return keys.flatMap((key) => {
    const value = parsed[key];
    if (value === undefined) return [];
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return [`${key}:`, ...text.split("\n").map((line) => `  ${line}`)];
  });
}
