import { openStore, type Store } from "../../src/app/store/index.ts";
import type { MemoryEdit, MemorySearch } from "../../src/modules/memory/index.ts";
import type { Embedder } from "../../src/search/index.ts";
import { byScope, type DataMemory, type DataQuery, type DataSet, readTime } from "./data-set.ts";

export interface HaftMemory {
  readonly rank: (query: DataQuery, more?: Pick<MemorySearch, "onlyRelevant">) => Promise<readonly string[]>;
  readonly insertCpuMs: number;
  close(): Promise<void>;
}

const editsAtOnce = 1000;

/** The set in a store of its own, put in and asked through its public port. */
export async function openHaft(set: DataSet, embedder: Embedder | undefined): Promise<HaftMemory> {
  const store: Store = await openStore({
    path: ":memory:",
    ...(embedder !== undefined && { embedder: async () => embedder }),
    onMemoryFault: (error) => console.error(error),
  });
  const { memory } = store;
  const ids = new Map<string, string>();
  const cpu = process.cpuUsage();
  for (const [scope, memories] of byScope(set.memories)) {
    for (let start = 0; start < memories.length; start += editsAtOnce) {
      const some = memories.slice(start, start + editsAtOnce);
      const entries = await memory.edit(scope, some.map(toEdit), { by: "import:bench" });
      for (const [at, { id }] of entries.entries()) ids.set(id, some[at]?.id ?? "");
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  if (embedder !== undefined) await memory.ready();
  return {
    insertCpuMs: (user + system) / 1000 / set.memories.length,
    rank: async ({ scope, query }, more = {}) => {
      const { hits } = await memory.search(scope, { query, limit: 20, ...more });
      return hits.map(({ entry }) => ids.get(entry.id) ?? "");
    },
    close: () => store.close(),
  };
}

/** What has its place in a session is a turn of it. */
function toEdit(memory: DataMemory): MemoryEdit {
  const { text, session, speaker, role, tags, category, title, names } = memory;
  const at = readTime(memory.time);
  return {
    do: "create_block",
    entry: {
      kind: session === undefined ? "memory" : "message",
      text,
      ...(session !== undefined && {
        place: { session, ...(speaker !== undefined && { speaker }), ...(role !== undefined && { role }) },
      }),
      ...(tags !== undefined && { tags }),
      ...(category !== undefined && { category }),
      ...(title !== undefined && { title }),
      ...(names !== undefined && { names }),
      ...(at !== undefined && { at }),
    },
  };
}
