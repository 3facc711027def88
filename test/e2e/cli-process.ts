import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { lendProof } from "../support/lent-proof.ts";

/** haft as it is where it is installed, but for its modules, which are put together. */
export const program: string = join(inject("built"), "bin/haft.js");

/** What Node is given to start haft, as if nobody above this process had. */
export const startHaft: readonly string[] = [
  "--import",
  new URL("../support/no-parents.mjs", import.meta.url).href,
  program,
];

/** A project folder and a home folder of haft's own, removed when the test is over. */
export class Place {
  readonly folder: string;
  readonly home: string;

  constructor() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-cli-")));
    // A process that was killed a moment ago, or one that it had started, may still write.
    onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));
    this.folder = mkdtempSync(join(root, "project-"));
    this.home = join(root, "home");
    lendProof(this.home, "built");
  }

  environment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    const { PATH, HOME, TMPDIR } = process.env;
    return { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), HAFT_HOME: this.home, ...extra };
  }

  /** Starts haft; it is ended with the test if it has not left by then. */
  start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(process.execPath, [...startHaft, ...args], {
      cwd: this.folder,
      env: this.environment(environment),
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  /** Runs haft to its end. */
  async run(
    args: readonly string[],
    input = "",
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Finished> {
    const child = this.start(args, environment);
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    return finish(child);
  }
}

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function finish(child: ChildProcess): Promise<Finished> {
  const texts = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (texts.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (texts.stderr += text));
  const exitCode = await new Promise<number | null>((done) => child.once("close", done));
  return { exitCode, ...texts };
}

/** Resolves with what a stream said so far, once it said `text`; rejects with it if the stream ends before. */
export function untilSays(stream: NodeJS.ReadableStream, text: string): Promise<string> {
  return new Promise((done, fail) => {
    let said = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      said += chunk;
      if (said.includes(text)) done(said);
    });
    stream.once("end", () => fail(new Error(`It ended before it said "${text}": ${said}`)));
  });
}
