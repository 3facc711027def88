import type { Clock, MaybePromise } from "../../../base/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import {
  Memory,
  memoryCallerOf,
  type MemoryEntry,
  type MemoryGraph,
  type MemoryStore,
} from "../../../store/index.ts";

/** What the memory tools work with; without memory there are none. */
export interface MemoriesServices {
  readonly memory?: MemoryStore | undefined;
  /** Absent: nothing is kept of what memories are about, and there is no `memory_graph`. */
  readonly graph?: MemoryGraph | undefined;
  /** Told of each new memory before the call ends: what takes time, such as asking a model what it is about, is to be done later. */
  readonly remembered?: (entry: MemoryEntry) => MaybePromise<void>;
  readonly clock: Clock;
}

/** The same, where there is memory. */
export interface KeptMemories extends MemoriesServices {
  readonly memory: MemoryStore;
}

/** Memory as the caller of one call has it. */
export function memoryOf({ memory, clock }: KeptMemories, context: ToolContext): Memory {
  return new Memory(memory, memoryCallerOf(context), { clock });
}
