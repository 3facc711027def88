import {
  findMemoryScope,
  Memory,
  type MemoryAuthor,
  type MemoryEntry,
  type MemoryStore,
} from "../../modules/memory/index.ts";
import type { App } from "../create-app.ts";

/** Kinds of entries that haft writes for itself, to know how far it came. */
export const ownKinds: readonly string[] = ["watermark", "former"];

/** The memory of one scope, as its owner has it. */
export interface OwnMemory {
  readonly app: App;
  readonly scope: string;
  readonly author: MemoryAuthor;
  /** The store as it is searched and listed, with the files of the memory folder. */
  readonly store: MemoryStore;
  readonly memory: Memory;
}

/** Opens the memory of an agent, or of calls that name none. Whether there is such an agent is not checked. */
export async function openOwnMemory(
  app: App,
  { agent, author }: { readonly agent: string | undefined; readonly author: MemoryAuthor },
): Promise<OwnMemory> {
  const { store } = await app.memory.filed();
  const scope = findMemoryScope({ ...app.context, ...(agent !== undefined && { agentId: agent }) });
  return { app, scope, author, store, memory: new Memory(store, { scope, author, owner: true }) };
}

/** Whether anything was ever kept for the scope. */
export async function hasEntries(store: MemoryStore, scope: string): Promise<boolean> {
  const { total } = await store.list(scope, { with: ["deleted", "superseded", "invalid"], limit: 1 });
  return total > 0;
}

/**
 * Finds an entry by id or label; one that was deleted by the label that it had, too.
 *
 * @throws {MemoryError} MEMORY_NOT_FOUND
 */
export async function findEntry({ memory, store, scope }: OwnMemory, key: string): Promise<MemoryEntry> {
  const found = (await memory.findBlock(key)) ?? (await findDeleted(store, scope, key));
  return found ?? memory.getBlock(key);
}

async function findDeleted(
  store: MemoryStore,
  scope: string,
  label: string,
): Promise<MemoryEntry | undefined> {
  const { entries } = await store.list(scope, {
    labelPrefix: label,
    with: ["deleted", "superseded", "invalid"],
    owned: "own",
    order: "label",
    limit: 100,
  });
  return entries
    .filter((entry) => entry.label === label)
    .toSorted((a, b) => b.changedAt - a.changedAt)
    .at(0);
}
