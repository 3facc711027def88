import {
  type Clock,
  cutHead,
  cutTail,
  formatBytes,
  getErrorCode,
  getErrorMessage,
  isRecord,
  parseJson,
} from "../../base/index.ts";
import type { OpenProcess } from "../../host/index.ts";
import type { ToolContext } from "../../kernel/index.ts";
import { ExtensionError, type ExtensionErrorCode } from "./errors.ts";
import { FrameReader, toFrame } from "./frames.ts";
import {
  type Fault,
  type LoadedEntry,
  type LogLevel,
  logLevels,
  type MadeEntry,
  type ModuleSet,
  mostFrameBytes,
  type ToWorker,
} from "./messages.ts";
import { readFault, readResult, readUpdate } from "./read-message.ts";

export interface WorkerOptions {
  /** The name for messages: `weather`. */
  readonly name: string;
  readonly clock: Clock;
  /** How long the modules may take to load, and the factories to make tools. */
  readonly startMs: number;
  /** The time from the end of a call's own to the worker's, if the call does not end itself. */
  readonly graceMs: number;
  /** Gives the factories the secrets that were declared. */
  readonly secret: (name: string) => Promise<string>;
  readonly log: (entry: PrintedMessage) => void;
}

/** Something that an extension printed, or gave its logger. */
export interface PrintedMessage {
  /** The tool whose call printed it; absent: no call did. */
  readonly tool?: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** What a worker may say from one thing that is asked of it to the next. */
const mostSaid = { bytes: 2 * mostFrameBytes, messages: 50_000 } as const;
/** Secrets that it waits for. */
const mostSecretRequests = 100;

interface PendingCall {
  readonly tool: string;
  readonly context: ToolContext;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A worker that runs: what haft asks of it, and what it answers. It can be ended at any time, and then never comes back. */
export class ExtensionWorker {
  /** Nothing of it is left. */
  readonly ended: Promise<void>;
  readonly #process: OpenProcess;
  readonly #options: WorkerOptions;
  readonly #calls = new Map<number, PendingCall>();
  readonly #reader = new FrameReader(mostFrameBytes);
  #step: { readonly type: "loaded" | "made"; readonly waiter: PromiseWithResolvers<unknown> } | undefined;
  #count = 0;
  #mayStillSay: { bytes: number; messages: number } = { ...mostSaid };
  #secretRequests = 0;
  #fault: ExtensionError | undefined;
  #isOver = false;
  #isClosed = false;

  constructor(process: OpenProcess, options: WorkerOptions) {
    this.#process = process;
    this.#options = options;
    process.stdout.on("data", (chunk: Buffer) => this.#hear(chunk));
    this.ended = process.ended.then((end) => {
      this.#isOver = true;
      this.#fault ??=
        end.fault === undefined ? this.#endedBy(end) : this.#error("EXTENSION_ENDED", end.fault.message);
      this.#rejectAll(this.#fault);
    });
  }

  /** It was ended because nobody needs it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isOver(): boolean {
    return this.#isOver || this.#fault !== undefined;
  }

  async load(modules: ModuleSet): Promise<readonly LoadedEntry[]> {
    return (await this.#begin("loaded", { type: "load", ...modules })) as readonly LoadedEntry[];
  }

  async make(entries: readonly string[]): Promise<readonly MadeEntry[]> {
    return (await this.#begin("made", { type: "make", entries })) as readonly MadeEntry[];
  }

  /**
   * Calls a tool. When the call's time is over it is told so, and the worker is ended if that does not help.
   *
   * @throws {ExtensionError} EXTENSION_ENDED, EXTENSION_PROTOCOL, EXTENSION_TOO_LARGE; the tool's own errors with their codes.
   */
  call(tool: string, params: unknown, context: ToolContext): Promise<unknown> {
    if (this.isOver)
      return Promise.reject(this.#fault ?? this.#error("EXTENSION_ENDED", "its worker has ended"));
    const id = ++this.#count;
    const { clock, graceMs } = this.#options;
    return new Promise((resolve, reject) => {
      let endGrace: (() => void) | undefined;
      const cancel = () => {
        const reason: unknown = context.signal.reason;
        this.#send({
          type: "cancel",
          id,
          code: getErrorCode(reason) ?? "ABORT_ERR",
          message: getErrorMessage(reason),
        });
        endGrace = clock.after(graceMs, () =>
          this.#end(
            "EXTENSION_ENDED",
            `a call of "${tool}" did not stop when it was told to, and its worker was ended`,
          ),
        );
      };
      const settle = () => {
        endGrace?.();
        context.signal.removeEventListener("abort", cancel);
        this.#calls.delete(id);
      };
      this.#calls.set(id, {
        tool,
        context,
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#mayStillSay = { ...mostSaid };
      try {
        this.#send({ type: "call", id, tool, params, facts: toFacts(context) });
      } catch (cause) {
        settle();
        const why = `the arguments for "${tool}" are ${getErrorMessage(cause)}, and at most ${formatBytes(mostFrameBytes)} go through; give less`;
        return reject(this.#error("EXTENSION_TOO_LARGE", why));
      }
      if (context.signal.aborted) cancel();
      else context.signal.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Lets it go by itself for a moment, then ends it. */
  async close(): Promise<void> {
    if (!this.isOver) this.#isClosed = true;
    this.#fault ??= this.#error("EXTENSION_ENDED", "it was closed");
    await this.#process.close(200);
    await this.ended;
  }

  #begin(type: "loaded" | "made", message: ToWorker): Promise<unknown> {
    const { clock, startMs } = this.#options;
    const waiter = Promise.withResolvers<unknown>();
    if (this.isOver) waiter.reject(this.#fault);
    this.#step = { type, waiter };
    this.#mayStillSay = { ...mostSaid };
    this.#send(message);
    const endWait = clock.after(startMs, () =>
      this.#end("EXTENSION_LOAD", `it was not ready after ${startMs} ms; do less when it is imported`),
    );
    return waiter.promise.finally(() => {
      endWait();
      this.#step = undefined;
    });
  }

  #send(message: ToWorker): void {
    this.#process.stdin.write(toFrame(message, mostFrameBytes));
  }

  #hear(chunk: Buffer): void {
    if (this.isOver) return;
    const left = this.#mayStillSay;
    left.bytes -= chunk.byteLength;
    try {
      for (const text of this.#reader.push(chunk)) {
        left.messages--;
        if (left.bytes < 0 || left.messages < 0) throw new RangeError("more than any tool has to say");
        this.#take(parseJson(text));
      }
    } catch (error) {
      this.#end(
        "EXTENSION_PROTOCOL",
        `its worker sent ${getErrorMessage(error)}, and was ended; mend the extension`,
      );
    }
  }

  /** @throws {TypeError} for what is no message. */
  #take(message: unknown): void {
    if (!isRecord(message)) throw new TypeError("what is no message");
    const { type, id } = message;
    const call = typeof id === "number" ? this.#calls.get(id) : undefined;
    switch (type) {
      case "loaded":
      case "made":
        if (this.#step?.type !== type || !Array.isArray(message["entries"]))
          throw new TypeError("an answer to no question");
        this.#step.waiter.resolve(message["entries"]);
        return;
      case "log":
        this.#log(message);
        return;
      case "secret":
        if (this.#secretRequests === mostSecretRequests)
          throw new RangeError("too many questions for secrets");
        void this.#giveSecret(message, call);
        return;
      case "progress":
      case "output":
        if (call !== undefined) readUpdate(message, call.context);
        return;
      case "result":
        call?.resolve(readResult(message));
        return;
      case "failed":
        call?.reject(readFault(message["fault"]));
        return;
      default:
        throw new TypeError("what is no message");
    }
  }

  /** A worker prints in the name of a tool only while a call of that tool runs. */
  #log({ level, message, tool }: Record<string, unknown>): void {
    const printing = [...this.#calls.values()].find((call) => call.tool === tool)?.tool;
    this.#options.log({
      level: logLevels.find((one) => one === level) ?? "info",
      message: cutHead(typeof message === "string" ? message : "", 4000),
      ...(printing !== undefined && { tool: printing }),
    });
  }

  /** What the kernel, or the extension's declaration, lets it have; the answer to anything else is why not. */
  async #giveSecret(
    { request, name, id }: Record<string, unknown>,
    call: PendingCall | undefined,
  ): Promise<void> {
    if (typeof request !== "number" || typeof name !== "string") return;
    this.#secretRequests++;
    const give = id === undefined ? this.#options.secret : call?.context.secret;
    try {
      if (give === undefined) throw new Error("Cannot give a secret to a call that is over");
      this.#send({ type: "secret", request, value: await give(name) });
    } catch (error) {
      const code = getErrorCode(error);
      const fault: Fault = { message: getErrorMessage(error), ...(code !== undefined && { code }) };
      this.#send({ type: "secret", request, fault });
    } finally {
      this.#secretRequests--;
    }
  }

  /** Ends a worker that does what it must not: what waits for it is told when nothing of it runs any more. */
  #end(code: ExtensionErrorCode, why: string): void {
    if (this.isOver) return;
    this.#fault = this.#error(code, why);
    void this.#process.close(0);
  }

  #rejectAll(error: ExtensionError): void {
    this.#step?.waiter.reject(error);
    for (const { reject } of Array.from(this.#calls.values())) reject(error);
  }

  #endedBy({
    exitCode,
    signal,
  }: {
    readonly exitCode: number;
    readonly signal: string | undefined;
  }): ExtensionError {
    const said = this.#process.stderrTail();
    if (/heap out of memory|Array buffer allocation failed/.test(said) || exitCode === 134)
      return this.#error(
        "EXTENSION_ENDED",
        "its worker used more memory than it may have; let it hold less at a time",
      );
    const how = signal === undefined ? `exit code ${exitCode}` : signal;
    const words = cutTail(said.trim(), 500);
    return this.#error(
      "EXTENSION_ENDED",
      `its worker ended by itself (${how})${words === "" ? "" : `, and said last: ${words}`}`,
    );
  }

  #error(code: ExtensionErrorCode, why: string): ExtensionError {
    return new ExtensionError(code, `Cannot use the extension "${this.#options.name}": ${why}`);
  }
}

function toFacts(context: ToolContext): Extract<ToWorker, { type: "call" }>["facts"] {
  const {
    callId,
    scope,
    taskId,
    agentId,
    userId,
    origin,
    allowedPaths,
    allowedHosts,
    effects,
    trust,
    deadline,
  } = context;
  return {
    callId,
    scope,
    allowedPaths,
    allowedHosts,
    effects,
    trust,
    deadline,
    ...(taskId !== undefined && { taskId }),
    ...(agentId !== undefined && { agentId }),
    ...(userId !== undefined && { userId }),
    ...(origin !== undefined && { origin }),
  };
}
