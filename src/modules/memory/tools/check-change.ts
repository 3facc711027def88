import type { CheckContext, Effect } from "../../../kernel/index.ts";
import { Memory } from "../store/memory.ts";
import { findMemoryScope } from "../store/memory-caller.ts";
import type { MemoryStore } from "../store/memory-store.ts";

/** Thrown where a change would be written: everything that could refuse it has been passed. */
class WouldWrite extends Error {}

export interface CheckedChange {
  /** Effects that the call declares. */
  readonly effects: readonly Effect[];
  readonly change: (memory: Memory) => Promise<unknown>;
}

/**
 * Throws what a change of memory would fail with, for a tool's `check`. Runs the change up to the point where it would be
 * written, for a caller whom a person has said yes to. Checks nothing if reading one of the entries would need a question.
 */
export async function checkMemoryChange(
  store: MemoryStore,
  context: CheckContext,
  { effects, change }: CheckedChange,
): Promise<void> {
  const reads = effects.map(({ target }): Effect => ({ kind: "read", target, within: true }));
  if (!reads.every(context.allows)) return;
  const caller = { scope: findMemoryScope(context), author: { by: "check" }, consents: () => true };
  try {
    await change(new Memory(readOnly(store), caller));
  } catch (thrown) {
    if (!(thrown instanceof WouldWrite)) throw thrown;
  }
}

function readOnly(store: MemoryStore): MemoryStore {
  return {
    get: (scope, key) => store.get(scope, key),
    list: (scope, listing) => store.list(scope, listing),
    search: (scope, search) => store.search(scope, search),
    history: (scope, id) => store.history(scope, id),
    shares: (scope, id) => store.shares(scope, id),
    edit: () => Promise.reject(new WouldWrite()),
    persist: () => Promise.resolve(),
  };
}
