import { spawn } from "node:child_process";
import { HostError } from "../../errors.ts";

export interface RipgrepRun {
  /** The folder in which it starts; the paths in `args` are relative to it. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** It is stopped then, and what came so far stands. */
  readonly maxMs: number;
  /** Gets the output as it comes; false stops the run. Must not keep the buffer. */
  readonly onOutput: (chunk: Buffer) => boolean;
}

export interface RipgrepEnd {
  /** Why it did not come to its own end. */
  readonly stopped: "time" | "enough" | undefined;
  readonly exitCode: number | null;
  /** What it complained of, cut. */
  readonly complaint: string;
}

const maxComplaint = 4000;

/** Runs ripgrep without configuration, environment or input. It has no children, so killing it leaves nothing. */
export async function runRipgrep(args: readonly string[], run: RipgrepRun): Promise<RipgrepEnd> {
  const program = await findProgram();
  run.signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: run.cwd,
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let stopped: RipgrepEnd["stopped"];
    let failure: unknown;
    let complaint = "";
    const stop = (why: RipgrepEnd["stopped"]) => {
      stopped ??= why;
      child.kill("SIGKILL");
    };
    const cancel = () => {
      failure ??= run.signal.reason;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => stop("time"), run.maxMs);
    run.signal.addEventListener("abort", cancel, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      if (stopped !== undefined || failure !== undefined) return;
      try {
        if (!run.onOutput(chunk)) stop("enough");
      } catch (error) {
        failure = error;
        child.kill("SIGKILL");
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (complaint.length < maxComplaint) complaint = (complaint + chunk.toString()).slice(0, maxComplaint);
    });
    child.on("error", (cause) => {
      failure ??= new HostError(
        "SEARCH_FAILED",
        `Cannot start ripgrep at "${program}": ${cause.message}; install haft again`,
        { cause },
      );
    });
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      run.signal.removeEventListener("abort", cancel);
      if (failure !== undefined) reject(failure);
      else resolve({ stopped, exitCode, complaint });
    });
  });
}

/** What every search says. Hidden files count, git's own never do; ignore files do so outside a repository too. */
export function ripgrepArguments(gitignore: boolean): string[] {
  return [
    "--no-config",
    "--no-messages",
    "--null",
    "--hidden",
    "--glob=!.git",
    ...(gitignore ? ["--no-require-git"] : ["--no-ignore"]),
  ];
}

/** What ripgrep complained of, in one line: it shows the pattern first, and says last what is wrong with it. */
export function readComplaint({ complaint }: RipgrepEnd): string {
  return (complaint.trim().split("\n").at(-1) ?? "").replace(/^(rg|error): /, "");
}

let program: string | undefined;

async function findProgram(): Promise<string> {
  if (program !== undefined) return program;
  try {
    ({ rgPath: program } = await import("@vscode/ripgrep"));
    return program;
  } catch (cause) {
    throw new HostError(
      "SEARCH_FAILED",
      `Cannot search on ${process.platform}-${process.arch}: ripgrep is not installed for it; install haft again with its optional dependencies`,
      { cause },
    );
  }
}
