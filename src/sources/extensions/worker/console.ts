import { AsyncLocalStorage } from "node:async_hooks";
import { format } from "node:util";
import type { FromWorker, LogLevel } from "../messages.ts";

const mostMessageChars = 4000;
/** Lines that one thing which is asked of the worker may print; haft ends a worker that says much more. */
const mostLines = 2000;

interface PrintingTool {
  readonly tool: string;
  lines: number;
}

const printing = new AsyncLocalStorage<PrintingTool>();
const atStart: PrintingTool = { tool: "", lines: 0 };

/** Runs a call of a tool: what it prints is marked with the tool's name. */
export function printingAs<Result>(tool: string, run: () => Result): Result {
  return printing.run({ tool, lines: 0 }, run);
}

/** Tells haft what the extension prints with `console`, which goes on to print it, too. */
export function tellPrinted(send: (message: FromWorker) => void): void {
  for (const [name, level] of Object.entries(levels)) {
    const method = name as keyof typeof levels;
    const print = console[method].bind(console);
    console[method] = (...parts: unknown[]) => {
      sendLog(send, level, format(...parts));
      print(...parts);
    };
  }
}

const levels = { log: "info", info: "info", debug: "info", warn: "warn", error: "error" } as const;

export function sendLog(send: (message: FromWorker) => void, level: LogLevel, message: string): void {
  const source = printing.getStore() ?? atStart;
  source.lines++;
  if (source.lines > mostLines) return;
  const text = source.lines === mostLines ? "(what follows is not shown)" : message;
  send({
    type: "log",
    level,
    message: text.slice(0, mostMessageChars),
    ...(source.tool !== "" && { tool: source.tool }),
  });
}
