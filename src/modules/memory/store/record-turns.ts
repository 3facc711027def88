import type { Trust } from "../../../kernel/index.ts";
import type { MemoryAuthor, MemoryEntry, NewMemoryEntry } from "./memory-entry.ts";
import type { MemoryStore } from "./memory-store.ts";

/** What somebody said in a conversation. */
export interface Turn {
  /** The name of the conversation: 1 to 2,000 characters. */
  readonly session: string;
  readonly text: string;
  /** Grows within the conversation. @default one more than the last */
  readonly position?: number;
  /** `user`, `assistant`, `tool`, `system`. */
  readonly role?: string;
  /** Who said it. */
  readonly speaker?: string;
  /** `telegram`, `cli`, … */
  readonly channel?: string;
  /** Unix ms: when it was said. @default now */
  readonly at?: number;
  /**
   * `untrusted`: whoever said it is none of those whom the agent works for.
   *
   * @default "trusted", but for what a tool said
   */
  readonly trust?: Trust;
  readonly tags?: readonly string[];
}

/**
 * Keeps turns in their order, all or none. Agents read and search them, and change nothing of what was said.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const said = [
 *   { session: "s1", role: "user", speaker: "Ada", text: "Do I have milk?" },
 *   { session: "s1", role: "assistant", text: "One bottle." },
 * ];
 * const entries = await recordTurns(store.memory, "local", said, { by: "observer" });
 * entries.map(({ text }) => text); // → ["Do I have milk?", "One bottle."]
 * ```
 */
export async function recordTurns(
  store: Pick<MemoryStore, "edit">,
  scope: string,
  turns: readonly Turn[],
  author: MemoryAuthor,
): Promise<readonly MemoryEntry[]> {
  return store.edit(
    scope,
    turns.map((turn) => ({ do: "create_block", entry: toMessage(turn) })),
    author,
  );
}

/**
 * Makes the entry that a turn is kept as: of kind `message`, in the tier `log`, read-only.
 *
 * @example
 * ```ts
 * toMessage({ session: "s1", role: "user", text: "Do I have milk?" }).place?.session; // → "s1"
 * ```
 */
export function toMessage({ text, at, tags, trust, ...place }: Turn): NewMemoryEntry {
  return {
    kind: "message",
    tier: "log",
    permission: "read_only",
    text,
    place,
    ...(at !== undefined && { at }),
    trust: trust ?? (place.role === "tool" ? "untrusted" : "trusted"),
    ...(tags !== undefined && { tags }),
  };
}
