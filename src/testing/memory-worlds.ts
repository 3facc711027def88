import { deepStrictEqual } from "node:assert/strict";
import type {
  MemoryAuthor,
  MemoryEdit,
  MemoryEntry,
  MemoryListing,
  MemoryStore,
  NewMemoryEntry,
} from "../modules/memory/index.ts";

export const ada: MemoryAuthor = { by: "agent:ada", callId: "c_1" };

export async function make(
  memory: MemoryStore,
  entry: Partial<NewMemoryEntry> & Pick<NewMemoryEntry, "text">,
  scope = "local",
): Promise<MemoryEntry> {
  const [made] = await memory.edit(scope, [{ do: "create_block", entry: { kind: "memory", ...entry } }], ada);
  return made as MemoryEntry;
}

/** Waits until the clock has moved on, for stores that tell what came later by its milliseconds. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
}

/** One change; the entry as it is then. */
export async function change(memory: MemoryStore, edit: MemoryEdit, scope = "local"): Promise<MemoryEntry> {
  const [changed] = await memory.edit(scope, [edit], ada);
  return changed as MemoryEntry;
}

export async function listTexts(
  memory: MemoryStore,
  listing?: MemoryListing,
  scope = "local",
): Promise<readonly string[]> {
  return (await memory.list(scope, listing)).entries.map(({ text }) => text);
}

/** What a search finds, by the alphabet. */
export async function found(
  memory: MemoryStore,
  query: string,
  search: Partial<Parameters<MemoryStore["search"]>[1]> = {},
  scope = "local",
): Promise<readonly string[]> {
  const { hits } = await memory.search(scope, { query, ...search });
  return hits.map(({ entry }) => entry.text).sort();
}

/** Nothing of the entry can be seen by the scope, in whichever way. */
export async function expectUnseen(memory: MemoryStore, entry: MemoryEntry, scope: string): Promise<void> {
  const keys = [entry.id, ...(entry.label === undefined ? [] : [entry.label])];
  for (const key of keys) deepStrictEqual(await memory.get(scope, key), undefined);
  deepStrictEqual((await memory.list(scope, { with: ["deleted", "superseded", "invalid"] })).entries, []);
  deepStrictEqual((await memory.search(scope, { query: entry.text })).hits, []);
  deepStrictEqual(await memory.history(scope, entry.id), []);
  deepStrictEqual(await memory.shares(scope, entry.id), []);
}

/** Whether an error has that code. */
export function code(expected: string): (thrown: { readonly code?: unknown }) => boolean {
  return (thrown) => thrown.code === expected;
}
