import { getErrorCode } from "../../../../base/index.ts";
import type { Memory } from "../../store/memory.ts";
import type { MemoryEntry, NewMemoryEntry } from "../../store/memory-entry.ts";

/** Changes the entry with this label, or makes it where there is none; also where another call makes it meanwhile. */
export async function writeEntry(
  memory: Memory,
  entry: NewMemoryEntry & { readonly label: string },
  change: (before: MemoryEntry) => Promise<MemoryEntry>,
): Promise<{ readonly entry: MemoryEntry; readonly created: boolean }> {
  const before = await memory.findBlock(entry.label);
  if (before !== undefined) return { entry: await change(before), created: false };
  try {
    return { entry: await memory.createBlock(entry), created: true };
  } catch (error) {
    if (getErrorCode(error) !== "MEMORY_LABEL_TAKEN") throw error;
    return { entry: await change(await memory.getBlock(entry.label)), created: false };
  }
}
