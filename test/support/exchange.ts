import { type ChildProcess, spawn } from "node:child_process";

const numbers: Readonly<Record<string, number>> = { x64: 316, arm64: 276 };

/**
 * Exchanges two names in their folder as fast as it goes, each time in one step (renameat2), from another process.
 * Undefined where there is no such call or no Perl to make it.
 */
export async function startExchanging(
  folder: string,
  one: string,
  other: string,
): Promise<Exchanger | undefined> {
  const number = process.platform === "linux" ? numbers[process.arch] : undefined;
  if (number === undefined) return undefined;
  const script = `$| = 1; chdir $ARGV[0] or die; my ($a, $b) = @ARGV[1, 2]; my $n = 0;
    while (1) { syscall(${number}, -100, $a, -100, $b, 2) == 0 or die; print "going\\n" if ++$n == 2; }`;
  const child = spawn("perl", ["-e", script, folder, one, other], { stdio: ["ignore", "pipe", "ignore"] });
  const going = await new Promise<boolean>((resolve) => {
    child.stdout.once("data", () => resolve(true));
    child.once("error", () => resolve(false));
    child.once("close", () => resolve(false));
  });
  return going ? new Exchanger(child) : undefined;
}

export class Exchanger implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Still at it. */
  get going(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    if (!this.going) return;
    this.#child.kill("SIGKILL");
    await closed;
  }
}
