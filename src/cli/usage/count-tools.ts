import type { CallRecord, LedgerStore } from "../../modules/ledger/index.ts";
import type { ToolCount } from "./render-usage.ts";

const pageSize = 1000;
const mostPages = 20;

/** The calls of tools in the ledger. */
export interface CountedTools {
  readonly tools: readonly ToolCount[];
  /** Unix ms: calls that began before were not looked at. Undefined: all were. */
  readonly cutAt: number | undefined;
}

/** Counts the newest 20,000 calls of the ledger by their tool, those that were called most first. */
export async function countTools(
  ledger: Pick<LedgerStore, "list">,
  { scope, since }: { readonly scope: string; readonly since: number },
): Promise<CountedTools> {
  const counts = new Map<string, { calls: number; failed: number; denied: number; ms: number }>();
  let last: CallRecord | undefined;
  let pages = 0;
  for (; pages < mostPages; pages++) {
    const page: readonly CallRecord[] = await ledger.list({
      scope,
      since,
      limit: pageSize,
      ...(last !== undefined && { before: last.seq }),
    });
    for (const { toolName, state, durationMs = 0 } of page) {
      const count = counts.get(toolName) ?? { calls: 0, failed: 0, denied: 0, ms: 0 };
      counts.set(toolName, count);
      count.calls++;
      if (state === "failed") count.failed++;
      if (state === "denied") count.denied++;
      count.ms += durationMs;
    }
    last = page.at(-1) ?? last;
    if (page.length < pageSize) break;
  }
  const tools = Array.from(counts, ([tool, count]) => ({ tool, ...count }));
  return {
    tools: tools.sort((one, other) => other.calls - one.calls || (one.tool < other.tool ? -1 : 1)),
    cutAt: pages === mostPages ? last?.startedAt : undefined,
  };
}
