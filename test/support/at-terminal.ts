import { spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { type Place, program, untilSays } from "../e2e/cli-process.ts";

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

export interface AtTerminal {
  readonly place: Place;
  readonly args: readonly string[];
  readonly question: string;
  readonly keys: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Presses the keys when the question is there; resolves with the screen and the exit code. */
export async function answerAtTerminal({
  place,
  args,
  question,
  keys,
  environment = {},
}: AtTerminal): Promise<{ readonly exitCode: number | null; readonly screen: string }> {
  const child = spawn("python3", ["-c", inTerminal, process.execPath, program, ...args], {
    cwd: place.folder,
    env: place.environment({ TERM: "xterm", NO_COLOR: "1", ...environment }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  child.stdout.on("data", (chunk) => void (screen += String(chunk)));
  const ended = new Promise<number | null>((done) => child.once("close", done));
  await untilSays(child.stdout, question);
  child.stdin.write(keys);
  return { exitCode: await ended, screen: screen.replaceAll("\r\n", "\n") };
}
