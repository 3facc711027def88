import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import { HostError } from "../errors.ts";
import type { Enclosed, EncloseRequest, Encloser, ProcessBounds } from "../sandbox/enclosing.ts";
import type { SandboxLevel, SandboxPromise, SandboxReport } from "../sandbox/report.ts";
import { Helper, HelperUnavailable } from "./helper-client.ts";
import { type OpenProcess, openProcess } from "./open-process.ts";
import { OutputCollector, type ProcessOutput } from "./output.ts";
import { PipePool } from "./pipes.ts";
import type { Launch, OutputName, Run, RunEnd, RunEvents, RunRequest } from "./request.ts";
import { checkFolder, startRun } from "./run.ts";
import { type Command, toShellCommand } from "./shell-command.ts";
import { cookieName } from "./tree.ts";

/** What one process gets, and what it may touch. */
export interface ProcessOptions {
  /** An absolute path. */
  readonly cwd: string;
  /** All of the process's environment: nothing of ours is added but the word by which its children are found. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the process and all it started. */
  readonly signal: AbortSignal;
  /** @default nothing: the process reads the end at once */
  readonly stdin?: string | Uint8Array;
  /** Bytes kept of each output, half from its beginning and half from its end. @default 16 MiB */
  readonly maxOutputBytes?: number;
  /**
   * Called with each piece of output as it comes. Where the output is over its limit it stops at half of it, and
   * the end comes as the last piece. Must not throw.
   */
  readonly onOutput?: (name: OutputName, text: string) => void;
  /** What the process may touch, where there is a sandbox. @default nothing but the system's files, and `cwd`, to read */
  readonly bounds?: ProcessBounds;
  /** What was promised when it was decided: where the sandbox has become weaker since, nothing runs. @default nothing beside what the sandbox asks for */
  readonly promises?: readonly SandboxPromise[];
  /** Runs it outside the sandbox, with all rights and no limits: for a call that somebody allowed to. @default false */
  readonly unconfined?: boolean;
}

/** {@link ProcessOptions} for a program that goes on. */
export interface OpenOptions
  extends Pick<ProcessOptions, "cwd" | "environment" | "bounds" | "promises" | "unconfined"> {
  readonly signal?: AbortSignal;
}

/** How a process ended, and what it put out. */
export interface ProcessResult {
  /** 128 and the signal's number for a process that a signal ended, as shells have it. */
  readonly exitCode: number;
  /** A program in namespaces of its own that ends with 128 and the number of a deadly signal looks as if that signal had ended it. */
  readonly signal: string | undefined;
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
  /** Processes that still ran when the command had ended, and were ended. */
  readonly leftBehind: number;
  /** Those of `leftBehind` that could not be ended: another user's, or stuck in the kernel. */
  readonly remaining: number;
  /** What kept the process in; absent without a sandbox. */
  readonly confinement?: {
    readonly level: SandboxLevel;
    /** Hosts that it tried to reach through the proxy, and may not. */
    readonly refusedHosts: readonly string[];
    /** Reasons why it could not reach hosts that it might: the address is blocked, or there is none. */
    readonly failedHosts: readonly string[];
    /** What was done about things that it, or one before it, left behind for other programs to run. For people. */
    readonly findings: readonly string[];
  };
}

/** How processes are started, and what keeps them in. */
export interface ProcessesOptions {
  /**
   * `helper` starts processes from a small helper process, so that their cost does not grow with the memory of
   * this one; where the helper can't run, and with `direct`, they are started from here.
   * @default "helper"
   */
  readonly from?: "helper" | "direct";
  /** Keeps in every process that is not `unconfined`. It is closed with the processes. @default none */
  readonly sandbox?: Pick<Encloser, "enclose"> & Partial<Encloser>;
}

/** Time that programs which are talked to have to end by themselves when haft ends. */
const closeMs = 500;
const defaultOutputBytes = 16 * 1024 * 1024;
const mostOutputBytes = 256 * 1024 * 1024;

/**
 * Starts other programs. A call ends with everything it started: when it is aborted, and also when the command
 * itself has ended and left work in the background, whatever session that work has moved to. On Linux only a
 * process that shed its environment, its session and its parent is missed; elsewhere, what left the group.
 *
 * @example
 * ```ts
 * await using processes = new Processes();
 * const owner = { scope: "local", agentId: undefined };
 * const { exitCode, stdout } = await processes.run([process.execPath, "-p", "1 + 1"], {
 *   cwd: process.cwd(),
 *   environment: new Environment().childEnvironment(owner),
 *   signal: AbortSignal.timeout(30_000),
 * });
 * exitCode; // → 0
 * stdout.text; // → "2\n"
 * ```
 */
export class Processes {
  #helper: Helper | undefined;
  #direct: boolean;
  #closed = false;
  /** How many commands so far could have used a waiting shell. */
  #launchable = 0;
  readonly #runs = new Set<Run>();
  readonly #open = new Set<OpenProcess>();
  readonly #pipes = new PipePool();
  readonly #sandbox: ProcessesOptions["sandbox"];

  constructor({ from = "helper", sandbox }: ProcessesOptions = {}) {
    this.#direct = from === "direct";
    this.#sandbox = sandbox;
  }

  /**
   * How processes are kept in; undefined without a sandbox.
   *
   * @throws {HostError} SANDBOX_REFUSED where that is less than what the operator asks for.
   */
  async isolation(): Promise<SandboxReport | undefined> {
    return this.#sandbox?.require?.();
  }

  /** Whether a path below a temporary folder is the session's own, neither the machine's nor by a link that a command made. */
  isOwnTemporary(session: string, path: string): boolean {
    return this.#sandbox?.isOwnTemporary?.(session, path) ?? false;
  }

  /**
   * Runs a program with exactly these arguments; no shell reads them. Rejects with the signal's reason once
   * nothing is left of it; the output until then was given to `onOutput`.
   *
   * @throws {HostError} PROCESS_FOLDER, PROCESS_NOT_FOUND, PROCESS_NOT_EXECUTABLE, PROCESS_ARGUMENTS,
   * PROCESS_NOT_STARTED; SANDBOX_REFUSED; PROCESS_NOT_STOPPED if it was aborted and something of it lives on; PROCESS_LOST.
   */
  async run(
    argv: readonly [program: string, ...args: string[]],
    options: ProcessOptions,
  ): Promise<ProcessResult> {
    const [file, ...args] = argv;
    return this.#run({ file, args, script: undefined }, options);
  }

  /** Runs a command line in bash, or `sh` where there is none, without any start-up file. Otherwise as {@link run}. */
  async runShell(line: string, options: ProcessOptions): Promise<ProcessResult> {
    return this.#run(toShellCommand(line), options);
  }

  /**
   * Starts a program that is talked to over its standard streams, kept in as every other is. A fault of the sandbox
   * shows in its end.
   *
   * @throws {HostError} PROCESS_FOLDER, PROCESS_NOT_FOUND, PROCESS_NOT_EXECUTABLE, PROCESS_ARGUMENTS,
   * PROCESS_NOT_STARTED; SANDBOX_REFUSED.
   */
  async open(
    argv: readonly [program: string, ...args: string[]],
    options: OpenOptions,
  ): Promise<OpenProcess> {
    const [program, ...rest] = argv;
    const { cwd, signal } = options;
    const command: Command = { file: program, args: rest, script: undefined };
    signal?.throwIfAborted();
    this.#refuseIfClosed(command);
    const enclosed = await this.#enclose(command, options, { isRun: false });
    try {
      signal?.throwIfAborted();
      this.#refuseIfClosed(command);
      const { file, args, environment } = enclosed ?? { ...command, environment: options.environment };
      const cookie = newCookie();
      const opened = await openProcess({
        file,
        args,
        cwd,
        environment: withCookie(environment, cookie),
        cookie,
        confinement: enclosed?.confinement,
        signal,
        notBegun: enclosed?.notBegun,
      });
      this.#open.add(opened);
      void opened.ended.then(() => {
        this.#open.delete(opened);
        enclosed?.release();
      });
      return opened;
    } catch (error) {
      enclosed?.release();
      throw error;
    }
  }

  /** Ends everything that still runs, then the helper. Nothing can be started any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const run of this.#runs) run.stop();
    await Promise.allSettled([
      ...Array.from(this.#runs, (run) => run.ended),
      ...Array.from(this.#open, (open) => open.close(closeMs)),
    ]);
    await this.#helper?.close();
    this.#pipes.close();
    await this.#sandbox?.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(command: Command, options: ProcessOptions): Promise<ProcessResult> {
    // What the sandbox was to lie over may have gone since it was planned. Nothing has run then: it is planned anew, once.
    const result =
      (await this.#attempt(command, options, { isLast: false })) ??
      (await this.#attempt(command, options, { isLast: true }));
    return result as ProcessResult;
  }

  /** undefined: nothing has run, and it is not the last attempt. */
  async #attempt(
    command: Command,
    options: ProcessOptions,
    attempt: Attempt,
  ): Promise<ProcessResult | undefined> {
    const { signal } = options;
    signal.throwIfAborted();
    this.#refuseIfClosed(command);
    const enclosed = await this.#enclose(command, options);
    let isStarted = false;
    try {
      signal.throwIfAborted();
      this.#refuseIfClosed(command);
      isStarted = true;
      return await this.#runEnclosed(command, options, { enclosed, ...attempt });
    } finally {
      if (!isStarted) this.#endWait(enclosed);
      enclosed?.release();
    }
  }

  #refuseIfClosed({ file }: Command): void {
    if (!this.#closed) return;
    throw new HostError("PROCESS_NOT_STARTED", `Cannot start "${file}": haft is closing; start it again`);
  }

  async #runEnclosed(
    command: Command,
    options: ProcessOptions,
    { enclosed, isLast }: Attempt & { readonly enclosed: Enclosed | undefined },
  ): Promise<ProcessResult | undefined> {
    const { signal, onOutput } = options;
    const request = toRequest(command, options, enclosed);
    const collect = (name: OutputName) =>
      new OutputCollector(request.headBytes, (text) => onOutput?.(name, text));
    const outputs = { stdout: collect("stdout"), stderr: collect("stderr") };
    const events: RunEvents = { started() {}, output: (name, bytes) => outputs[name].push(bytes) };
    if (request.launch === undefined) this.#endWait(enclosed);
    const running = this.#toEnd(request, events, signal);
    this.#waitForNext(enclosed);
    const end = await running;
    const stdout = outputs.stdout.end(end.stdout);
    const stderr = outputs.stderr.end(end.stderr);
    const { ended, remaining } = end.leftBehind;
    if (signal.aborted)
      throw remaining === 0 ? signal.reason : notStopped(command.file, remaining, signal.reason);
    if (!end.begun && enclosed?.notBegun !== undefined) {
      if (!isLast) return undefined;
      throw enclosed.notBegun(stderr.text.trim() || stdout.text.trim());
    }
    return {
      ...toExit(end, request),
      stdout,
      stderr,
      leftBehind: ended,
      remaining,
      ...(enclosed !== undefined && {
        confinement: {
          level: enclosed.level,
          refusedHosts: [...enclosed.refusedHosts()],
          failedHosts: [...enclosed.failedHosts()],
          findings: [...end.vanished.map(sayGone), ...(enclosed.findings?.() ?? [])],
        },
      }),
    };
  }

  /** Ends the shell that waits for a command which does not need it. */
  #endWait(enclosed: Enclosed | undefined): void {
    if (enclosed?.launch !== undefined && this.#helper?.alive) this.#helper.endWait(enclosed.launch.id);
  }

  /** Has a shell wait in the group of the command after this one, while this one runs. */
  #waitForNext(enclosed: Enclosed | undefined): void {
    if (enclosed?.waitForNext === undefined || this.#helper?.alive !== true || this.#closed) return;
    // Not after the first command: many programs run one command and end.
    if (++this.#launchable < 2) return;
    const next = enclosed.waitForNext();
    if (next !== undefined) this.#helper.wait(next);
  }

  async #enclose(
    command: Command,
    options: OpenOptions & Pick<ProcessOptions, "stdin">,
    { isRun = true } = {},
  ): Promise<Enclosed | undefined> {
    if (this.#sandbox === undefined || options.unconfined === true) return undefined;
    checkFolder(options.cwd);
    const { file, args, script } = command;
    const { cwd, environment, bounds = { writable: [] }, promises } = options;
    const request: EncloseRequest = {
      file,
      args,
      hasScript: script !== undefined,
      cwd,
      environment,
      bounds,
      mayLaunch: isRun && script === undefined && options.stdin === undefined,
      ...(promises !== undefined && { promises }),
    };
    return this.#sandbox.enclose(request);
  }

  async #toEnd(request: RunRequest, events: RunEvents, signal: AbortSignal): Promise<RunEnd> {
    const helper = this.#startedHelper();
    if (helper !== undefined) {
      try {
        return await this.#untilEnd(helper.start(request, events), signal);
      } catch (error) {
        if (!(error instanceof HelperUnavailable)) throw error;
        if (!helper.proven) this.#direct = true;
        signal.throwIfAborted();
      }
    }
    return this.#untilEnd(startRun(request, events, { pipes: this.#pipes }), signal);
  }

  async #untilEnd(run: Run, signal: AbortSignal): Promise<RunEnd> {
    const stop = () => run.stop();
    signal.addEventListener("abort", stop, { once: true });
    this.#runs.add(run);
    try {
      return await run.ended;
    } finally {
      this.#runs.delete(run);
      signal.removeEventListener("abort", stop);
    }
  }

  #startedHelper(): Helper | undefined {
    if (this.#direct) return undefined;
    if (this.#helper?.alive) return this.#helper;
    try {
      this.#helper = new Helper();
    } catch {
      this.#direct = true;
      return undefined;
    }
    return this.#helper;
  }
}

interface Attempt {
  /** Should it not begin, nothing else is tried. */
  readonly isLast: boolean;
}

function toRequest(command: Command, options: ProcessOptions, enclosed: Enclosed | undefined): RunRequest {
  const { cwd, stdin, maxOutputBytes = defaultOutputBytes } = options;
  const { file, args, environment } = enclosed ?? { ...command, environment: options.environment };
  const kept = Math.min(maxOutputBytes, mostOutputBytes);
  const cookie = newCookie();
  const variables = withCookie(environment, cookie);
  const { launch } = enclosed ?? {};
  return {
    file,
    args,
    script: command.script,
    cwd,
    environment: variables,
    stdin: typeof stdin === "string" ? Buffer.from(stdin) : stdin,
    cookie,
    headBytes: Math.ceil(kept / 2),
    tailBytes: Math.floor(kept / 2),
    confinement: enclosed?.confinement,
    launch: launch && toLaunch(launch.id, launch.format(variables)),
  };
}

/** Longest text for a waiting shell. The kernel's limit is higher, but depends on the text. */
const longestLaunch = 100_000;

/** Undefined for a text that is too long or has a NUL: the normal start then says what is wrong with it. */
function toLaunch(id: string, text: string): Launch | undefined {
  return text.length > longestLaunch || text.includes("\0") ? undefined : { id, text };
}

function newCookie(): string {
  return randomBytes(12).toString("hex");
}

function withCookie(environment: Readonly<Record<string, string>>, cookie: string): Record<string, string> {
  const outer = process.env[cookieName];
  return { ...environment, [cookieName]: outer === undefined ? cookie : `${outer}.${cookie}` };
}

/** Signals that end a process, unless it does something about them. */
const deadly = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ SYS"
  .split(" ")
  .map((name) => `SIG${name}`);

function toExit(
  { exitCode, signal }: RunEnd,
  { confinement }: RunRequest,
): Pick<ProcessResult, "exitCode" | "signal"> {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  if (signal === null) {
    const told = confinement?.supervised === true && exitCode !== null && exitCode > 128 ? exitCode - 128 : 0;
    return { exitCode: exitCode ?? -1, signal: deadly.find((name) => numbers[name] === told) };
  }
  return { exitCode: 128 + (numbers[signal] ?? 0), signal };
}

function sayGone(path: string): string {
  return `written to ${path}, which is gone after this command: write to the allowed folders, or to /tmp for this session`;
}

function notStopped(file: string, remaining: number, cause: unknown): HostError {
  return new HostError(
    "PROCESS_NOT_STOPPED",
    `Cannot stop all that "${file}" started: ${remaining} of its processes go on; they belong to another user or wait in the kernel`,
    { cause, details: { remaining } },
  );
}
