import type { MemoryEntry, MemoryFilter, MemoryStore } from "../../store/index.ts";
import { formatMemoryLine } from "./memory-line.ts";
import { formatMemoryMarkdown, markdownHead } from "./memory-markdown.ts";
import { kindsOfFiles, type MemoryFormat } from "./portable-entry.ts";

const pageEntries = 500;

/**
 * All entries of its own that a scope has and the filter means, the oldest first and a page at a time. What is made of
 * files in the memory folder is left out unless it is named: the files are to be copied.
 */
export async function* allEntries(
  store: Pick<MemoryStore, "list">,
  scope: string,
  filter: MemoryFilter,
  signal: AbortSignal,
): AsyncGenerator<readonly MemoryEntry[], void, void> {
  const listing = {
    ...(filter.kinds === undefined && { exceptKinds: kindsOfFiles }),
    ...filter,
    owned: "own",
    order: "oldest",
    limit: pageEntries,
  } as const;
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await store.list(scope, { ...listing, ...(after !== undefined && { after }) });
    if (page.entries.length > 0) yield page.entries;
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** What stands before the first entry. */
export function memoryHead(format: MemoryFormat, scope: string): string {
  return format === "md" ? markdownHead(scope) : "";
}

export function formatEntries(entries: readonly MemoryEntry[], format: MemoryFormat): string {
  return entries.map(format === "md" ? formatMemoryMarkdown : formatMemoryLine).join("");
}
