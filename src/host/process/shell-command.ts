import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { HostError } from "../errors.ts";

/** A program to start. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly script: Uint8Array | undefined;
}

/** Linux takes no single argument over 128 KiB; a longer command line is handed over through a pipe. */
const longestArgument = 100_000;

/** A command line as bash reads it, or `sh` where there is none, without any start-up file. */
export function toShellCommand(line: string): Command {
  if (line.includes("\0")) {
    throw new HostError(
      "PROCESS_ARGUMENTS",
      "Cannot run the command line: it contains a null character; leave it out",
    );
  }
  const { file, options } = findShell();
  if (Buffer.byteLength(line) <= longestArgument)
    return { file, args: [...options, "-c", "--", line], script: undefined };
  // `eval` closes the pipe again before it runs the line.
  return { file, args: [...options, "-c", 'eval "$(cat <&3)" 3<&-'], script: Buffer.from(line) };
}

interface Shell {
  readonly file: string;
  readonly options: readonly string[];
}

let shell: Shell | undefined;

function findShell(): Shell {
  shell ??= lookForShell();
  return shell;
}

function lookForShell(): Shell {
  const name = process.platform === "win32" ? "bash.exe" : "bash";
  const folders = ["/bin", "/usr/bin", ...(process.env["PATH"] ?? "").split(delimiter)];
  for (const folder of folders) {
    const file = join(folder, name);
    if (folder !== "" && existsSync(file)) return { file, options: ["--noprofile", "--norc"] };
  }
  if (process.platform !== "win32") return { file: "/bin/sh", options: [] };
  throw new HostError(
    "PROCESS_NOT_FOUND",
    "Cannot run a command line: there is no bash on the PATH; install Git for Windows",
  );
}
