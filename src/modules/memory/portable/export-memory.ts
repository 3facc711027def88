import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryFilter, MemoryStore } from "../store/memory-store.ts";
import { ownPages } from "../store/own-pages.ts";
import { formatMemoryMarkdown, markdownHead } from "./memory-markdown.ts";
import { kindsOfFiles, type MemoryFormat, toExported } from "./portable-entry.ts";

/**
 * All entries of its own that a scope has and the filter means, the oldest first and a page at a time. What is made of
 * files in the memory folder is left out unless it is named: the files are to be copied.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const entry = { kind: "memory", text: "Ada likes tea." };
 * await store.memory.edit("local", [{ do: "create_block", entry }], { by: "owner:ada" });
 * const texts: string[] = [];
 * for await (const page of allEntries(store.memory, "local", {}, AbortSignal.timeout(10_000)))
 *   texts.push(...page.map(({ text }) => text));
 * texts; // → ["Ada likes tea."]
 * ```
 */
export function allEntries(
  store: Pick<MemoryStore, "list">,
  scope: string,
  filter: MemoryFilter,
  signal: AbortSignal,
): AsyncGenerator<readonly MemoryEntry[], void, void> {
  const chosen = { ...(filter.kinds === undefined && { exceptKinds: kindsOfFiles }), ...filter };
  return ownPages(store, scope, { ...chosen, order: "oldest" }, signal);
}

/**
 * What stands before the first entry.
 *
 * @example
 * ```ts
 * memoryHead("jsonl", "local"); // → ""
 * memoryHead("md", "local").includes("# Memory of local"); // → true
 * ```
 */
export function memoryHead(format: MemoryFormat, scope: string): string {
  return format === "md" ? markdownHead(scope) : "";
}

/**
 * Writes entries with all that is known of them but their history.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const entry = { kind: "memory", text: "Ada likes tea." };
 * const made = await store.memory.edit("local", [{ do: "create_block", entry }], { by: "owner:ada" });
 * (JSON.parse(formatEntries(made, "jsonl")) as MemoryEntry).text; // → "Ada likes tea."
 * ```
 */
export function formatEntries(entries: readonly MemoryEntry[], format: MemoryFormat): string {
  return entries.map(format === "md" ? formatMemoryMarkdown : toLine).join("");
}

function toLine(entry: MemoryEntry): string {
  return `${JSON.stringify(toExported(entry))}\n`;
}
