import { Worker } from "node:worker_threads";
import { getErrorMessage } from "../../base/index.ts";
import { closed, EmbedError } from "./errors.ts";
import type { ModelSource, WorkerAnswer } from "./model-source.ts";

export interface ModelWorkerOptions {
  readonly source: ModelSource;
  /** A module that speaks as `embed-worker.ts` does; named as the source it is, `.ts`. */
  readonly entry?: URL;
  /** Until the model is loaded. */
  readonly loadMs: number;
  /** The deadline for one batch. */
  readonly batchMs?: number;
  /** The time after which a worker without work is ended, and what it holds is free again. */
  readonly idleMs?: number;
}

export interface EmbedOptions {
  /** Nobody waits for it: it gives way to others, and does not keep the program alive. */
  readonly inBackground: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Request extends EmbedOptions {
  readonly texts: readonly string[];
  readonly vectors: Float32Array[];
  readonly settle: PromiseWithResolvers<readonly Float32Array[]>;
}

/** Few, so that one who waits comes to their turn soon. More at once is no faster. */
const batchSize = 8;
const embedEntry = new URL("./embed-worker.ts", import.meta.url);

/**
 * A model in a thread of its own: computing does not hold up anything else here, and memory or a crash of its own end
 * with the thread. It is started at the first text, again after it ended, and does one batch at a time.
 */
export class ModelWorker {
  readonly #options: Required<ModelWorkerOptions>;
  readonly #requests: Request[] = [];
  #running: Promise<RunningModel> | undefined;
  #started: RunningModel | undefined;
  #isWorking = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ModelWorkerOptions) {
    this.#options = { entry: embedEntry, batchMs: 60_000, idleMs: 60_000, ...options };
  }

  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (texts.length === 0) return Promise.resolve([]);
    const request: Request = { ...options, texts, vectors: [], settle: Promise.withResolvers() };
    const giveUp = () => this.#reject(request, signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#requests.push(request);
    this.#holdOn();
    void this.#work();
    return request.settle.promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  /** Ends the thread, and what is asked of it. */
  async close(): Promise<void> {
    this.#rejectAll(closed());
    await this.#end();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    clearTimeout(this.#idle);
    while (this.#requests.length > 0) {
      const model = await this.#model();
      const request = this.#next();
      if (model !== undefined && request !== undefined) await this.#doBatch(model, request);
    }
    this.#isWorking = false;
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs).unref();
  }

  async #doBatch(model: RunningModel, request: Request): Promise<void> {
    const { texts, vectors, settle } = request;
    try {
      const batch = texts.slice(vectors.length, vectors.length + batchSize);
      vectors.push(...(await model.embed(batch, this.#options.batchMs)));
      if (vectors.length === texts.length && this.#remove(request)) settle.resolve(vectors);
    } catch (error) {
      await this.#end();
      this.#reject(request, error);
    }
  }

  /** Undefined where it can't be loaded, which everybody who waits has been told. */
  async #model(): Promise<RunningModel | undefined> {
    try {
      if (this.#started?.hasEnded === true) await this.#end();
      this.#running ??= this.#start();
      return await this.#running;
    } catch (error) {
      await this.#end();
      this.#rejectAll(error);
      return undefined;
    }
  }

  /** Whoever came first of those that somebody waits for; then the others. */
  #next(): Request | undefined {
    return this.#requests.find(({ inBackground }) => !inBackground) ?? this.#requests[0];
  }

  #reject(request: Request, reason: unknown): void {
    if (this.#remove(request)) request.settle.reject(reason);
  }

  #rejectAll(reason: unknown): void {
    for (const { settle } of this.#requests.splice(0)) settle.reject(reason);
    this.#holdOn();
  }

  #remove(request: Request): boolean {
    const at = this.#requests.indexOf(request);
    if (at >= 0) this.#requests.splice(at, 1);
    this.#holdOn();
    return at >= 0;
  }

  /** The program stays for as long as somebody waits, and no longer. */
  #holdOn(): void {
    const isAwaited = this.#requests.some(({ inBackground }) => !inBackground);
    if (isAwaited) this.#started?.worker.ref();
    else this.#started?.worker.unref();
  }

  async #start(): Promise<RunningModel> {
    const { source, entry, loadMs } = this.#options;
    this.#started = new RunningModel(startThread(entry, source), source);
    this.#holdOn();
    await this.#started.loaded(loadMs);
    return this.#started;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const started = this.#started;
    this.#running = undefined;
    this.#started = undefined;
    await started?.worker.terminate();
  }
}

function startThread(entry: URL, source: ModelSource): Worker {
  try {
    return new Worker(asInstalled(entry), {
      workerData: source,
      env: {},
      execArgv: [],
      // What a library prints must not end up in a protocol that speaks over this process's own streams. Nobody reads
      // it here: a stream that is read keeps the program alive.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    });
  } catch (cause) {
    throw new EmbedError(
      "EMBED_FAILED",
      `Cannot start a thread for ${describeSource(source)}: ${getErrorMessage(cause)}; let this program start threads, or choose embedder: none in tools.search`,
      { cause },
    );
  }
}

/** One thread, from its start to its end. */
class RunningModel {
  readonly worker: Worker;
  readonly #source: ModelSource;
  #answered: PromiseWithResolvers<WorkerAnswer> = Promise.withResolvers();
  #hasEnded = false;

  constructor(worker: Worker, source: ModelSource) {
    this.worker = worker;
    this.#source = source;
    worker.on("message", (answer: WorkerAnswer) => this.#answered.resolve(answer));
    worker.on("error", (error) => this.#answered.resolve({ status: "failed", reason: error.message }));
    worker.on("exit", () => {
      this.#hasEnded = true;
      this.#answered.resolve({ status: "failed", reason: "its thread ended" });
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async loaded(timeoutMs: number): Promise<void> {
    const answer = await this.#answer("load its model", timeoutMs);
    if (answer.status === "ready") return;
    if (answer.status === "unready" && answer.packageName !== undefined)
      throw packageIsMissing(answer.packageName);
    throw modelIsUnusable(this.#source, "reason" in answer ? answer.reason : "it said something else");
  }

  async embed(texts: readonly string[], timeoutMs: number): Promise<readonly Float32Array[]> {
    this.#answered = Promise.withResolvers();
    this.worker.postMessage({ texts });
    const answer = await this.#answer(`embed ${texts.length} texts`, timeoutMs);
    if (answer.status === "done" && answer.vectors.length === texts.length) return answer.vectors;
    throw batchFailed(this.#source, "reason" in answer ? answer.reason : "it gave too few vectors");
  }

  async #answer(work: string, timeoutMs: number): Promise<WorkerAnswer> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(tookTooLong(this.#source, work, timeoutMs)), timeoutMs);
    // The thread itself decides whether the program stays.
    timer.unref();
    try {
      return await Promise.race([this.#answered.promise, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Sources run as they are in development, and as JavaScript when installed. */
function asInstalled(entry: URL): URL {
  return import.meta.url.endsWith(".js") ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry;
}

function describeSource(source: ModelSource): string {
  switch (source.kind) {
    case "hub":
      return `the model "${source.model}"`;
    case "folder":
      return `the model in "${source.folder}"`;
    case "package":
      return `the model of the package "${source.packageName}"`;
  }
}

function packageIsMissing(packageName: string): EmbedError {
  return new EmbedError(
    "EMBED_PACKAGE",
    `Cannot embed texts: the package "${packageName}" is not installed; install it beside haft, or choose another embedder in tools.search`,
    { details: { packageName } },
  );
}

function modelIsUnusable(source: ModelSource, reason: string): EmbedError {
  const remedies: Readonly<Record<ModelSource["kind"], string>> = {
    hub: "check its name and the network, or keep its files in a folder and name that",
    folder: "see that the folder has config.json, tokenizer.json and onnx/model.onnx",
    package: "install it again, or set embedder: offline in tools.search",
  };
  return new EmbedError(
    "EMBED_MODEL",
    `Cannot load ${describeSource(source)}: ${reason}; ${remedies[source.kind]}`,
  );
}

function tookTooLong(source: ModelSource, work: string, timeoutMs: number): EmbedError {
  return new EmbedError(
    "EMBED_TIMEOUT",
    `Cannot ${work} with ${describeSource(source)}: it took longer than ${timeoutMs} ms; try again when the machine has less to do`,
    { details: { timeoutMs } },
  );
}

function batchFailed(source: ModelSource, reason: string): EmbedError {
  return new EmbedError(
    "EMBED_FAILED",
    `Cannot embed texts with ${describeSource(source)}: ${reason}; try again, or choose another embedder in tools.search`,
  );
}
