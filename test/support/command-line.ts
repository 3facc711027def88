import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import { runCommandLine } from "../../src/cli/index.ts";

/** The folders of an installation that a command works in. */
export interface CommandPlace {
  readonly folder: string;
  readonly home: { readonly folder: string };
}

export interface CommandOptions {
  /** The installation that `--folder` and `--home` name. @default none: the command line is passed as it is */
  readonly place?: CommandPlace;
  /** Columns of the terminal that standard output and standard error are. @default they are no terminal */
  readonly columns?: number;
  /** Whether standard input is a terminal, too. @default false */
  readonly interactive?: boolean;
  /** The folder of the package. @default this checkout */
  readonly root?: string;
}

/** How a command line ended, with all that it wrote. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line that runs in this process, on streams of its own. */
export interface StartedCommand {
  /** Standard input, which stays open until the test ends it. */
  readonly stdin: PassThrough;
  /** What was written so far. */
  readonly said: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<CommandEnd>;
}

/** Starts a command line in this process. */
export function startCommand(
  args: readonly string[],
  { place, columns, interactive = false, root = resolve(".") }: CommandOptions = {},
): StartedCommand {
  const open = (isTTY: boolean) =>
    Object.assign(new PassThrough({ encoding: "utf8" }), {
      isTTY,
      ...(isTTY && { columns: columns ?? 80, rows: 40 }),
    });
  const isTerminal = columns !== undefined;
  const streams = { stdin: open(interactive), stdout: open(isTerminal), stderr: open(isTerminal) };
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    streams[name].on("data", (text: string) => {
      said[name] += text;
    });
  const where = place === undefined ? [] : ["--folder", place.folder, "--home", place.home.folder];
  const ended = runCommandLine([...args, ...where], {
    streams,
    version: "1.2.3",
    root,
    program: [process.execPath, resolve("src/main.ts")],
  });
  return { stdin: streams.stdin, said, ended: ended.then((exitCode) => ({ exitCode, ...said })) };
}

/** Runs a command line in this process to its end, with `input` as the whole of its standard input. */
export async function runCommand(
  args: readonly string[],
  { input = "", ...options }: CommandOptions & { readonly input?: string } = {},
): Promise<CommandEnd> {
  const { stdin, ended } = startCommand(args, options);
  stdin.end(input);
  return ended;
}
