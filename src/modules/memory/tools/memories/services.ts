import type { Clock, MaybePromise } from "../../../../base/index.ts";
import type { MemoryGraph } from "../../store/graph/memory-graph.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import type { MemoryStore } from "../../store/memory-store.ts";

/** What the memory tools work with. */
export interface MemoriesServices {
  readonly memory: MemoryStore;
  /** Absent: nothing is kept of what memories are about, and there is no `memory_graph`. */
  readonly graph?: MemoryGraph | undefined;
  /** Told of each new memory before the call ends: what takes time, such as asking a model what it is about, is to be done later. */
  readonly remembered?: ((entry: MemoryEntry) => MaybePromise<void>) | undefined;
  /** What "tomorrow" is reckoned from. @default the system's */
  readonly clock?: Clock;
}
