import type { LazyStore } from "../lazy-store.ts";
import type { KnownSecrets } from "../secrets/known-secrets.ts";
import type { Records } from "./records.ts";

/** Opens records when they are first read. */
export class LazyRecords {
  readonly #store: Pick<LazyStore, "path" | "open">;
  readonly #secrets: KnownSecrets;
  #opened: Promise<Records> | undefined;

  constructor(store: Pick<LazyStore, "path" | "open">, secrets: KnownSecrets) {
    this.#store = store;
    this.#secrets = secrets;
  }

  /** Opens the store first, which brings its tables up to date. */
  open(): Promise<Records> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await (await opened?.catch(() => undefined))?.close();
  }

  async #open(): Promise<Records> {
    const [{ WorkerRecords }] = await Promise.all([import("./worker-records.ts"), this.#store.open()]);
    return new WorkerRecords({ path: this.#store.path, secrets: this.#secrets });
  }
}
