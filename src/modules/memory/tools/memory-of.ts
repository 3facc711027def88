import type { Clock } from "../../../base/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import { Memory } from "../store/memory.ts";
import { toMemoryCaller } from "../store/memory-caller.ts";
import type { MemoryStore } from "../store/memory-store.ts";

/** Memory as the caller of one call has it. */
export function openMemory(
  { memory, clock }: { readonly memory: MemoryStore; readonly clock?: Clock | undefined },
  context: ToolContext,
): Memory {
  return new Memory(memory, toMemoryCaller(context), clock === undefined ? {} : { clock });
}
