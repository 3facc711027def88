import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { type Place, startHaft } from "./cli-process.ts";

/** Runs a command line in a pseudo-terminal of 80 columns, and leaves with its code. */
const inTerminal = `
import os, pty, sys, fcntl, termios, struct, select
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
while True:
    ready, _, _ = select.select([fd, 0], [], [])
    if fd in ready:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        keys = os.read(0, 4096)
        if keys:
            os.write(fd, keys)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

export const hasTerminal: boolean =
  spawnSync("python3", ["-c", "import pty, os; os.waitstatus_to_exitcode"]).status === 0;
export const noTerminal = "python3 with pty is not on this machine";

export interface TerminalEnd {
  readonly exitCode: number | null;
  readonly screen: string;
}

/** haft at a terminal, where a test types and reads. */
export class PseudoTerminal {
  /** All that was shown so far. */
  screen = "";
  readonly ended: Promise<TerminalEnd>;
  readonly #child: ChildProcess;
  #looked = 0;
  #tell: (() => void) | undefined;

  constructor(
    place: Place,
    args: readonly string[],
    options: {
      /** The program to run in the terminal. @default haft */
      readonly program?: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
    } = {},
  ) {
    const { program = [process.execPath, ...startHaft], environment } = options;
    const child = spawn("python3", ["-c", inTerminal, ...program, ...args], {
      cwd: place.folder,
      env: place.environment({ TERM: "xterm", NO_COLOR: "1", ...environment }),
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk) => {
      this.screen += String(chunk).replaceAll("\r\n", "\n");
      this.#tell?.();
    });
    this.#child = child;
    this.ended = new Promise((done) =>
      child.once("close", (exitCode) => {
        this.#tell?.();
        done({ exitCode, screen: this.screen });
      }),
    );
  }

  /** Resolves once the screen shows `text` after what the last call saw. */
  async shows(text: string | RegExp): Promise<RegExpExecArray> {
    const sought = typeof text === "string" ? new RegExp(text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")) : text;
    for (;;) {
      const found = sought.exec(this.screen.slice(this.#looked));
      if (found !== null) {
        this.#looked += found.index + found[0].length;
        return found;
      }
      if (this.#child.exitCode !== null)
        throw new Error(`It ended without showing ${String(text)}: ${this.screen}`);
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }
}

/** Types the keys once the question is there. */
export async function answerAt(
  place: Place,
  args: readonly string[],
  question: string,
  keys: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<TerminalEnd> {
  const terminal = new PseudoTerminal(place, args, { environment });
  await terminal.shows(question);
  terminal.type(keys);
  return terminal.ended;
}

/** `haft approvals approve`, with the code typed back. */
export async function approveAt(place: Place, ...args: readonly string[]): Promise<TerminalEnd> {
  const terminal = new PseudoTerminal(place, ["approvals", "approve", ...args]);
  const [, code] = await terminal.shows(/Type (\w{4}) to say yes/);
  terminal.type(`${code}\r`);
  return terminal.ended;
}
