import type { MemoryFiles } from "./memory-files.ts";

/** What the tools of memory files work with. */
export interface MemoryFileServices {
  readonly files: MemoryFiles;
}
