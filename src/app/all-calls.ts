import type { CallQuery, CallRecord, LedgerStore } from "../modules/ledger/index.ts";

const pageCalls = 1000;

/**
 * Lists every call that fits the query, the oldest first. However many there are, one page of them is in memory.
 *
 * @example
 * ```ts
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/.home`) });
 * await app.executor.run("glob", { pattern: "*.md" }, app.context);
 * const { ledger } = await app.store();
 * const tools: string[] = [];
 * for await (const page of allCalls(ledger, {}, AbortSignal.timeout(10_000)))
 *   tools.push(...page.map(({ toolName }) => toolName));
 * tools; // → ["glob"]
 * ```
 */
export async function* allCalls(
  ledger: Pick<LedgerStore, "list">,
  query: Omit<CallQuery, "before" | "after" | "limit">,
  signal: AbortSignal,
): AsyncGenerator<readonly CallRecord[], void, void> {
  for (let after = 0; ; ) {
    signal.throwIfAborted();
    const page = await ledger.list({ ...query, after, limit: pageCalls });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.seq;
  }
}
