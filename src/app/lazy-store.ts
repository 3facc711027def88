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
    const open = () => this.open();
    this.ledger = {
      start: async (call) => (await open()).ledger.start(call),
      end: async (call, outcome) => (await open()).ledger.end(call, outcome),
    };
    this.artifacts = {
      put: async (artifact) => (await open()).artifacts.put(artifact),
      readText: async (scope, id, range) => (await open()).artifacts.readText(scope, id, range),
      readBytes: async (scope, id) => (await open()).artifacts.readBytes(scope, id),
    };
    this.grants = {
      find: async (key, options) => (await open()).grants.find(key, options),
      add: async (grant) => (await open()).grants.add(grant),
      whyNot: async (key) => (await open()).grants.whyNot(key),
    };
    this.approvals = {
      open: async (approval, key) => (await open()).approvals.open(approval, key),
      answer: async (id, answer) => (await open()).approvals.answer(id, answer),
      answered: async (id, signal) => (await open()).approvals.answered(id, signal),
      claim: async (id, callId) => (await open()).approvals.claim(id, callId),
      find: async (key, approvers) => (await open()).approvals.find(key, approvers),
      leave: async (question) => (await open()).approvals.leave(question),
      watched: async (approvers) => (await open()).approvals.watched(approvers),
    };
    this.changes = {
      record: async (change) => (await open()).changes.record(change),
      ofCall: async (scope, callId) => (await open()).changes.ofCall(scope, callId),
      markUndone: async (scope, callId) => (await open()).changes.markUndone(scope, callId),
      forget: async (scope, callId) => (await open()).changes.forget(scope, callId),
    };
    this.memory = {
      edit: async (scope, edits, author) => (await open()).memory.edit(scope, edits, author),
      get: async (scope, key) => (await open()).memory.get(scope, key),
      list: async (scope, listing) => (await open()).memory.list(scope, listing),
      search: async (scope, search) => (await open()).memory.search(scope, search),
      history: async (scope, id) => (await open()).memory.history(scope, id),
      shares: async (scope, id) => (await open()).memory.shares(scope, id),
      persist: async () => (await open()).memory.persist(),
    };
    this.graph = {
      add: async (scope, facts) => (await open()).graph.add(scope, facts),
      find: async (scope, name, options) => (await open()).graph.find(scope, name, options),
      explore: async (scope, nodeId, options) => (await open()).graph.explore(scope, nodeId, options),
      connect: async (scope, from, to, options) => (await open()).graph.connect(scope, from, to, options),
      entities: async (scope, entryIds) => (await open()).graph.entities(scope, entryIds),
      mentions: async (scope, nodeIds, options) => (await open()).graph.mentions(scope, nodeIds, options),
      forget: async (scope, entryIds) => (await open()).graph.forget(scope, entryIds),
    };
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
