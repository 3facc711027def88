import {
  findMemoryScope,
  Memory,
  type MemoryAuthor,
  type MemoryEntry,
  type MemoryStore,
} from "../../modules/memory/index.ts";
import type { App } from "../create-app.ts";

/** Kinds of entries in which haft keeps its own progress. */
export const ownKinds: readonly string[] = ["watermark", "former"];

/** The memory of one scope, opened with the rights of its owner. */
export interface OwnMemory {
  readonly app: App;
  readonly scope: string;
  readonly author: MemoryAuthor;
  /** The store, including the files of the memory folder. */
  readonly store: MemoryStore;
  readonly memory: Memory;
}

/** Opens the memory of an agent, or of calls that name no agent. Does not check that the agent exists. */
export async function openOwnMemory(
  app: App,
  { agent, author }: { readonly agent: string | undefined; readonly author: MemoryAuthor },
): Promise<OwnMemory> {
  const { store } = await app.memory.filed();
  const scope = findMemoryScope({ ...app.context, ...(agent !== undefined && { agentId: agent }) });
  return { app, scope, author, store, memory: new Memory(store, { scope, author, owner: true }) };
}

/** Whether the scope has entries, including deleted ones. */
export async function hasEntries(store: MemoryStore, scope: string): Promise<boolean> {
  const { total } = await store.list(scope, { with: ["deleted", "superseded", "invalid"], limit: 1 });
  return total > 0;
}

/**
 * Finds an entry by id or label. A deleted entry is found by the label it had.
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
