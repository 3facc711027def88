import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { type Place, startHaft } from "./cli-process.ts";

/**
 * Runs a command line in a pseudo-terminal of 80 columns, and leaves with its code. The argument before it is JSON: pairs of a
 * text and keys. The keys of each pair are typed as soon as its text is shown after that of the pair before.
 */
const inTerminal = `
import os, pty, sys, fcntl, termios, struct, select, json
reflexes = json.loads(sys.argv[1])
program = sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    os.execv(program[0], program)
unseen = b""
while True:
    ready, _, _ = select.select([fd, 0], [], [])
    if fd in ready:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        unseen += data
        while reflexes and reflexes[0][0].encode() in unseen:
            text, keys = reflexes.pop(0)
            unseen = unseen.split(text.encode(), 1)[1]
            os.write(fd, keys.encode())
        os.write(1, data)
    if 0 in ready:
        keys = os.read(0, 4096)
        if not keys:
            os.close(fd)
            break
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
  #isOver = false;
  #looked = 0;
  #tell: (() => void) | undefined;

  constructor(
    place: Place,
    args: readonly string[],
    options: {
      /** The program to run in the terminal. @default haft */
      readonly program?: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
      /** Keys that are typed as soon as a text is shown, sooner than a test that reads the screen could; one pair after another. */
      readonly reflexes?: readonly (readonly [text: string, keys: string])[];
    } = {},
  ) {
    const { program = [process.execPath, ...startHaft], environment, reflexes = [] } = options;
    const child = spawn("python3", ["-c", inTerminal, JSON.stringify(reflexes), ...program, ...args], {
      cwd: place.folder,
      env: place.environment({ TERM: "xterm", NO_COLOR: "1", ...environment }),
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.on("error", () => {});
    // The two characters that end a line may come one by one.
    let held = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const text = held + chunk;
      held = text.endsWith("\r") ? "\r" : "";
      this.screen += text.slice(0, text.length - held.length).replaceAll("\r\n", "\n");
      this.#tell?.();
    });
    this.#child = child;
    this.ended = new Promise((done) =>
      child.once("close", (exitCode) => {
        this.screen += held;
        this.#isOver = true;
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
      if (this.#isOver) throw new Error(`It ended without showing ${String(text)}: ${this.screen}`);
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Closes the terminal, as one does its window. */
  close(): void {
    this.#child.stdin?.end();
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
