import type { Clock } from "../../../base/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import { Memory, memoryCallerOf, type MemoryStore } from "../../../store/index.ts";

/** What the block tools work with; without memory there are none. */
export interface BlockServices {
  readonly memory?: MemoryStore | undefined;
  /** @default the system's */
  readonly clock?: Clock;
}

/** The same, where there is memory. */
export interface BlockMemory {
  readonly memory: MemoryStore;
  readonly clock?: Clock;
}

/** Memory as the caller of one call has it. */
export function memoryOf({ memory, clock }: BlockMemory, context: ToolContext): Memory {
  return new Memory(memory, memoryCallerOf(context), clock === undefined ? {} : { clock });
}
