import type { MemoryStore } from "../modules/memory/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { memoryEditCases } from "./memory-edit-cases.ts";
import { memoryHistoryCases } from "./memory-history-cases.ts";
import { memoryListCases } from "./memory-list-cases.ts";

/** What every store of memory keeps, and keeps apart. */
export const memoryCases: readonly ContractCase<MemoryStore>[] = [
  ...memoryEditCases,
  ...memoryHistoryCases,
  ...memoryListCases,
];
