import type { Clock } from "../../../../base/index.ts";
import type { MemoryStore } from "../../store/memory-store.ts";

/** What the block tools work with. */
export interface BlockServices {
  readonly memory: MemoryStore;
  /** The clock for labels that are made up. @default the system's */
  readonly clock?: Clock;
}
