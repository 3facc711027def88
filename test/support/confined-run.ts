import {
  type ProcessBounds,
  Processes,
  Sandbox,
  type SandboxLevel,
  type SandboxOptions,
} from "../../src/host/index.ts";

/*
 * A program that runs one command line in a sandbox and prints what came of it, so that a test can be any user:
 * `node confined-run.ts REQUEST`.
 */

export interface ConfinedRequest {
  readonly options: SandboxOptions;
  readonly line: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly bounds: ProcessBounds;
  readonly timeoutMs: number;
  readonly maxOutputBytes?: number;
}

export interface ConfinedOutcome {
  readonly level: SandboxLevel;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly totalBytes: number;
  readonly omittedBytes: number;
  readonly remaining: number;
  readonly refusedHosts: readonly string[];
  readonly findings: readonly string[];
  /** Of this program, in bytes. */
  readonly rss: number;
  /** In place of the rest: it did not run, or was stopped. */
  readonly error?: string;
}

const request = JSON.parse(process.argv[2] ?? "") as ConfinedRequest;
const sandbox = new Sandbox(request.options);
const processes = new Processes({ sandbox });
console.log(JSON.stringify(await outcome()));
await processes.close();

async function outcome(): Promise<Partial<ConfinedOutcome>> {
  const { level } = await sandbox.report();
  try {
    const { line, cwd, environment, bounds, timeoutMs, maxOutputBytes } = request;
    const result = await processes.runShell(line, {
      cwd,
      environment,
      bounds,
      signal: AbortSignal.timeout(timeoutMs),
      ...(maxOutputBytes !== undefined && { maxOutputBytes }),
    });
    const { stdout, stderr, exitCode, remaining, confinement } = result;
    return {
      level,
      stdout: stdout.text,
      stderr: stderr.text,
      exitCode,
      remaining,
      totalBytes: stdout.totalBytes,
      omittedBytes: stdout.omittedBytes,
      refusedHosts: confinement?.refusedHosts ?? [],
      findings: confinement?.findings ?? [],
      rss: process.resourceUsage().maxRSS * 1024,
    };
  } catch (error) {
    return { level, error: (error as Error).message };
  }
}
