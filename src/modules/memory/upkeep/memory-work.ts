import type { Clock } from "../../../base/index.ts";
import type { Model } from "../../../model/index.ts";
import type { Embedder } from "../../../search/index.ts";
import type { MemoryGraph } from "../store/graph/memory-graph.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import type { MemoryLimits } from "./limits.ts";

/** What the keeping of memory works with. */
export interface MemoryWork {
  readonly store: MemoryStore;
  readonly model: Model;
  /** Absent: what entries are about is not noted. */
  readonly graph: Pick<MemoryGraph, "add"> | undefined;
  /** Absent: only texts of the same words say the same. */
  readonly embedder: Embedder | undefined;
  readonly limits: MemoryLimits;
  readonly clock: Clock;
}
