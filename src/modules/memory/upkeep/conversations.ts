import { countTokens } from "../../../model/index.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { ownEntries } from "../store/own-pages.ts";
import { readWatermark, type Watermark } from "./watermark.ts";

/** The messages of a conversation that were not looked at, in their order. */
export async function* unobserved(
  store: MemoryStore,
  scope: string,
  session: string,
  { position }: Watermark,
): AsyncGenerator<MemoryEntry> {
  const messages = ownEntries(store, scope, {
    kinds: ["message"],
    session,
    order: "position",
    // Also what is told of a time gone by was said.
    with: ["superseded", "invalid"],
    ...(position !== undefined && { afterPosition: position }),
  });
  for await (const message of messages) {
    if (position === undefined || (message.place?.position ?? 0) > position) yield message;
  }
}

/** Counts the tokens of a conversation that were not looked at yet, no further than just past `upTo`. */
export async function unobservedTokens(
  store: MemoryStore,
  scope: string,
  session: string,
  upTo: number = Number.POSITIVE_INFINITY,
): Promise<number> {
  const mark = await readWatermark(store, scope, session);
  let tokens = 0;
  for await (const { text } of unobserved(store, scope, session, mark)) {
    tokens += countTokens(text);
    if (tokens > upTo) break;
  }
  return tokens;
}

export interface Unobserved {
  readonly tokens: number;
  /** The waiting tokens by session, without sessions that were looked at to their end. */
  readonly sessions: ReadonlyMap<string, number>;
  /** False: there are more messages than were counted, and those are older. */
  readonly complete: boolean;
}

const mostCounted = 5_000;

/** What of all conversations was not looked at. Of messages without end, the newest 5,000. */
export async function countUnobserved(store: MemoryStore, scope: string): Promise<Unobserved> {
  const marks = new Map<string, Watermark>();
  const sessions = new Map<string, number>();
  let counted = 0;
  let tokens = 0;
  for await (const { place, text } of ownEntries(store, scope, { kinds: ["message"] })) {
    if (counted++ >= mostCounted) return { tokens, sessions, complete: false };
    if (place === undefined) continue;
    const { session, position } = place;
    const mark = marks.get(session) ?? (await readWatermark(store, scope, session));
    marks.set(session, mark);
    if (mark.position !== undefined && position <= mark.position) continue;
    tokens += countTokens(text);
    sessions.set(session, (sessions.get(session) ?? 0) + countTokens(text));
  }
  return { tokens, sessions, complete: true };
}
