import { getErrorMessage } from "../../../../base/index.ts";
import type { MemoryHits, MemoryStore } from "../../store/memory-store.ts";
import type { MemoryFiles } from "./memory-files.ts";

/**
 * A store whose searches and lists know the memory files as they are then, whoever edited them. A folder that can't be
 * read costs its files, not the search.
 *
 * @example
 * ```ts
 * import { mkdirSync, writeFileSync } from "node:fs";
 * const folder = `${process.cwd()}/memory`;
 * mkdirSync(folder);
 * writeFileSync(`${folder}/tea.md`, "# Tea\n\nAda likes green tea.\n");
 * await using store = await openStore({ path: ":memory:" });
 * const workspace = new Workspace({ undo: new UndoFolder(`${process.cwd()}/undo`) });
 * const files = new MemoryFiles({ store: store.memory, workspace, memoryFolder: () => folder });
 * const { hits } = await withMemoryFiles(store.memory, files).search("local", { query: "green tea" });
 * hits[0]?.entry.text.includes("green tea"); // → true
 * ```
 */
export function withMemoryFiles(store: MemoryStore, files: Pick<MemoryFiles, "sync">): MemoryStore {
  const lookAtFiles = (scope: string, signal?: AbortSignal) =>
    files.sync(scope, signal).then(
      () => undefined,
      (error: unknown) => {
        signal?.throwIfAborted();
        return `the memory files could not be read: ${getErrorMessage(error)}`;
      },
    );
  return {
    edit: (scope, edits, author) => store.edit(scope, edits, author),
    get: (scope, key) => store.get(scope, key),
    history: (scope, id) => store.history(scope, id),
    shares: (scope, id) => store.shares(scope, id),
    persist: () => store.persist(),
    async list(scope, listing) {
      await lookAtFiles(scope);
      return store.list(scope, listing);
    },
    async search(scope, search): Promise<MemoryHits> {
      const problem = await lookAtFiles(scope, search.signal);
      const hits = await store.search(scope, search);
      if (problem === undefined) return hits;
      return { ...hits, note: hits.note === undefined ? problem : `${hits.note}; ${problem}` };
    },
  };
}
