import { setTimeout as sleep } from "node:timers/promises";
import type { ToolSearch } from "../../search/index.ts";

/** Waits until the vectors of all tools are made, for `mostMs` at the most; what is missing then is found by words. */
export async function awaitSearch(search: Pick<ToolSearch, "ready">, mostMs: number): Promise<void> {
  const deadline = new AbortController();
  // The timer keeps the process alive: a command may have nothing else to wait for.
  const over = sleep(mostMs, undefined, { signal: deadline.signal }).catch(() => {});
  await Promise.race([search.ready(), over]).finally(() => deadline.abort());
}
