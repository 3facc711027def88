import type { MemoryStore } from "../modules/memory/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { memoryEditCases } from "./memory-edit-cases.ts";
import { memoryHistoryCases } from "./memory-history-cases.ts";
import { memoryListCases } from "./memory-list-cases.ts";

/**
 * What every store of memory keeps, and keeps apart.
 *
 * @example
 * ```ts
 * // Each case wants a store of its own that holds nothing; in a test, use `test.for(memoryCases)`.
 * const passed: string[] = [];
 * for (const { name, run } of memoryCases.slice(0, 3)) {
 *   await using store = await openStore({ path: ":memory:" });
 *   await run(store.memory);
 *   passed.push(name);
 * }
 * passed.length; // → 3
 * ```
 */
export const memoryCases: readonly ContractCase<MemoryStore>[] = [
  ...memoryEditCases,
  ...memoryHistoryCases,
  ...memoryListCases,
];
