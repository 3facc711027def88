import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryFilter, MemoryStore } from "../store/memory-store.ts";
import { ownPages } from "../store/own-pages.ts";
import { formatMemoryMarkdown, markdownHead } from "./memory-markdown.ts";
import { kindsOfFiles, type MemoryFormat, toExported } from "./portable-entry.ts";

/**
 * Lists a scope's own entries a page at a time, the oldest first. Entries made of files in the memory folder are left
 * out unless the filter names their kind: copy the files instead.
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
 * The text before the first entry of a file; empty for `jsonl`.
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
 * Writes entries as one of {@link memoryFormats}, with everything but their history.
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
