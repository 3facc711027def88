import { lazyPort } from "../base/index.ts";
import type { Approvals, ArtifactStore, Grants, Ledger } from "../kernel/index.ts";
import type { MemoryGraph, MemoryStore } from "../modules/memory/index.ts";
import type { SecretKeys } from "../modules/secrets/index.ts";
import type { ChangeLog } from "../modules/undo/index.ts";
import type { Store, StoreOptions } from "./store/open-store.ts";

export interface LazyStoreOptions extends Omit<StoreOptions, "secretKeys"> {
  readonly secretKeys?: () => Promise<SecretKeys>;
}

/**
 * A store that is opened when it is first used: an MCP client asks for the tools long before it calls one. An
 * opening that failed is tried again at the next use.
 */
export class LazyStore {
  readonly ledger: Ledger;
  readonly artifacts: ArtifactStore;
  readonly grants: Grants;
  readonly approvals: Approvals;
  readonly changes: ChangeLog;
  readonly memory: MemoryStore;
  readonly graph: MemoryGraph;
  readonly path: string;
  readonly #options: LazyStoreOptions;
  #opened: Promise<Store> | undefined;

  constructor(options: LazyStoreOptions) {
    this.path = options.path;
    this.#options = options;
    this.ledger = lazyPort<Ledger>(async () => (await this.open()).ledger);
    this.artifacts = lazyPort<ArtifactStore>(async () => (await this.open()).artifacts);
    this.grants = lazyPort<Grants>(async () => (await this.open()).grants);
    this.approvals = lazyPort<Approvals>(async () => (await this.open()).approvals);
    this.changes = lazyPort<ChangeLog>(async () => (await this.open()).changes);
    this.memory = lazyPort<MemoryStore>(async () => (await this.open()).memory);
    this.graph = lazyPort<MemoryGraph>(async () => (await this.open()).graph);
  }

  open(): Promise<Store> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await (await opened)?.close();
  }

  async #open(): Promise<Store> {
    try {
      const { openStore } = await import("./store/open-store.ts");
      const { secretKeys, ...options } = this.#options;
      return await openStore({
        ...options,
        ...(secretKeys !== undefined && { secretKeys: await secretKeys() }),
      });
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}
