import { existsSync } from "node:fs";
import { lazyPort, type MaybePromise } from "../base/index.ts";
import type { Approvals, ArtifactStore, Grants, Ledger } from "../kernel/index.ts";
import type { MemoryGraph, MemoryStore } from "../modules/memory/index.ts";
import type { SecretKeys } from "../modules/secrets/index.ts";
import type { Tasks } from "../modules/tasks/index.ts";
import type { Todos } from "../modules/todos/index.ts";
import type { ChangeLog } from "../modules/undo/index.ts";
import type { Usage } from "../modules/usage/index.ts";
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
  readonly tasks: Tasks;
  readonly todos: Todos;
  readonly usage: Usage;
  readonly path: string;
  readonly #options: LazyStoreOptions;
  #opened: Promise<Store> | undefined;
  /** The store, once it is open. */
  #store: Store | undefined;

  constructor(options: LazyStoreOptions) {
    this.path = options.path;
    this.#options = options;
    this.ledger = lazyPort<Ledger>(this.#part((store) => store.ledger));
    this.artifacts = lazyPort<ArtifactStore>(this.#part((store) => store.artifacts));
    this.grants = lazyPort<Grants>(this.#part((store) => store.grants));
    this.approvals = lazyPort<Approvals>(this.#part((store) => store.approvals));
    this.changes = lazyPort<ChangeLog>(this.#part((store) => store.changes));
    this.memory = lazyPort<MemoryStore>(this.#part((store) => store.memory));
    this.graph = lazyPort<MemoryGraph>(this.#part((store) => store.graph));
    this.tasks = lazyPort<Tasks>(this.#part((store) => store.tasks));
    this.todos = lazyPort<Todos>(this.#part((store) => store.todos));
    this.usage = lazyPort<Usage>(this.#part((store) => store.usage));
  }

  open(): Promise<Store> {
    if (this.#opened !== undefined) return this.#opened;
    const opening = this.#open();
    this.#opened = opening;
    const keep = (store: Store) => {
      if (this.#opened === opening) this.#store = store;
    };
    opening.then(keep, () => {}); // Whoever asked is told of a failure.
    return opening;
  }

  /** A part of the store: at once where it is open. */
  #part<Part>(choose: (store: Store) => Part): () => MaybePromise<Part> {
    return () => (this.#store === undefined ? this.open().then(choose) : choose(this.#store));
  }

  /** Files that earlier processes wrote with data from outside. A store that does not exist yet has none. */
  async untrustedFiles(): Promise<readonly string[]> {
    return existsSync(this.path) ? (await this.open()).ledger.untrustedFiles() : [];
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#store = undefined;
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
