import type { Clock } from "../../base/index.ts";
import { ExtensionError, type ExtensionErrorCode } from "./errors.ts";

/** A worker, as far as keeping it goes. */
export interface Keepable {
  /** Nothing can be asked of it any more. */
  readonly isOver: boolean;
  /** It is over because nobody needed it. */
  readonly isClosed: boolean;
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface KeptWorkerOptions<Worker> {
  readonly name: string;
  readonly clock: Clock;
  /** A worker that is not called for so long is closed, and started again at the next call. */
  readonly idleMs: number;
  readonly start: () => Promise<Worker>;
}

const firstRestMs = 1000;
const longestRestMs = 60_000;

/** The worker of an extension: started when it is called, again after it has ended, and less often each time that fails. */
export class KeptWorker<Worker extends Keepable> {
  readonly #options: KeptWorkerOptions<Worker>;
  #worker: Promise<Worker> | undefined;
  #users = 0;
  #failures = 0;
  #restsUntil = 0;
  #endIdle: (() => void) | undefined;
  #retired = false;
  readonly #free = Promise.withResolvers<void>();

  /** @param running the worker that told what tools there are */
  constructor(running: Worker, options: KeptWorkerOptions<Worker>) {
    this.#options = options;
    this.#worker = Promise.resolve(this.#watched(running));
    this.#waitIdle();
  }

  /** @throws {ExtensionError} EXTENSION_RESTING while it ended too often; EXTENSION_ENDED once it is retired; what starting it throws. */
  async use<Result>(work: (worker: Worker) => Promise<Result>): Promise<Result> {
    this.#refuseIfRetired();
    this.#users++;
    this.#endIdle?.();
    try {
      const worker = await this.#running();
      try {
        return await work(worker);
      } finally {
        if (!worker.isOver) this.#failures = 0;
      }
    } finally {
      this.#users--;
      if (this.#users === 0) this.#waitIdle();
    }
  }

  /** Lets the calls that run come to their end, then closes it. */
  async retire(): Promise<void> {
    this.#retired = true;
    this.#endIdle?.();
    if (this.#users > 0) await this.#free.promise;
    await this.close();
  }

  async close(): Promise<void> {
    this.#retired = true;
    this.#endIdle?.();
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.close();
  }

  #refuseIfRetired(): void {
    if (this.#retired) throw this.#error("EXTENSION_ENDED", "it was loaded anew; call the tool again");
  }

  async #running(): Promise<Worker> {
    for (let known = this.#worker; known !== undefined; known = this.#worker) {
      const worker = await known.catch(() => undefined);
      if (worker !== undefined && !worker.isOver) return worker;
      // Whoever comes first after its end starts the next.
      if (this.#worker === known) this.#worker = undefined;
    }
    this.#refuseIfRetired();
    const restMs = this.#restsUntil - this.#options.clock.now();
    if (restMs > 0) {
      const again = `try again in ${Math.ceil(restMs / 1000)} s`;
      throw this.#error("EXTENSION_RESTING", `its worker ended ${this.#failures} times in a row; ${again}`);
    }
    this.#worker = this.#start();
    return this.#worker;
  }

  async #start(): Promise<Worker> {
    try {
      return this.#watched(await this.#options.start());
    } catch (error) {
      this.#failed();
      throw error;
    }
  }

  #watched(worker: Worker): Worker {
    void worker.ended.then(() => {
      if (!worker.isClosed) this.#failed();
    });
    return worker;
  }

  /** The first end costs nothing: one mistake is not a habit. */
  #failed(): void {
    this.#failures++;
    if (this.#failures < 2) return;
    const restMs = Math.min(longestRestMs, firstRestMs * 2 ** (this.#failures - 2));
    this.#restsUntil = this.#options.clock.now() + restMs;
  }

  #waitIdle(): void {
    if (this.#retired) return this.#free.resolve();
    const { clock, idleMs } = this.#options;
    this.#endIdle = clock.after(idleMs, () => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.then((one) => one.close()).catch(() => {});
    });
  }

  #error(code: ExtensionErrorCode, why: string): ExtensionError {
    return new ExtensionError(code, `Cannot use the extension "${this.#options.name}": ${why}`);
  }
}
