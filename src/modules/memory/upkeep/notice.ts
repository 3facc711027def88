import { type Clock, systemClock } from "../../../base/index.ts";
import type { Jobs } from "../../jobs/index.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { unobservedTokens } from "./conversations.ts";
import { defaultLimits } from "./limits.ts";

/** Services that leave a conversation to the observer. */
export interface NoticeParts {
  readonly store: MemoryStore;
  readonly jobs: Jobs;
  /** @default the usual limit */
  readonly observeFromTokens?: number;
  readonly clock?: Clock;
}

const hourMs = 3_600_000;

/** Leaves a conversation to the observer, once enough of it was not looked at. Neither a model nor an embedder is opened. */
export async function noticeConversation(parts: NoticeParts, scope: string, session: string): Promise<void> {
  const { store, observeFromTokens: enough = defaultLimits.observeFromTokens } = parts;
  if ((await unobservedTokens(store, scope, session, enough)) > enough)
    await enqueueObservation(parts, scope, session);
}

/** Queues an observation. After a final failure it waits an hour, so that not every message tries again. */
export async function enqueueObservation(
  { jobs, clock = systemClock }: Pick<NoticeParts, "jobs" | "clock">,
  scope: string,
  session: string,
): Promise<void> {
  const kind = "memory.observe";
  const [last] = await jobs.list({ kinds: [kind], scope, key: session, limit: 1 });
  const rest = last?.state === "dead_letter" ? (last.endedAt ?? 0) + hourMs : 0;
  const runAt = Math.max(rest, clock.now());
  await jobs.enqueue({ kind, scope, key: session, payload: { session }, runAt });
}
