import type { Terminal } from "../terminal.ts";
import { countRows } from "../text/display-width.ts";

/** Lines at the bottom of the terminal that are drawn anew while a run goes on. All else is printed above them. */
export interface LiveLines {
  /** Draws these lines in place of those before. */
  show(lines: readonly string[]): void;
  /** Takes the lines away before anything else is printed. */
  clear(): void;
}

/** Live lines on standard error; none if that is no terminal. */
export function createLiveLines(terminal: Terminal): LiveLines {
  let shown: readonly string[] = [];
  const erase = () => {
    if (shown.length === 0) return "";
    // A terminal that became narrower shows a line in several rows.
    const rows = countRows(shown, terminal.errorWidth);
    shown = [];
    return `\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`;
  };
  return {
    clear: () => {
      const text = erase();
      if (text !== "") terminal.err(text);
    },
    show: (lines) => {
      if (terminal.streams.stderr.isTTY !== true) return;
      const text = erase() + lines.join("\n");
      shown = lines;
      if (text !== "") terminal.err(text);
    },
  };
}
