import {
  type Entry,
  type NewEntry,
  type SessionChange,
  taskChannel,
  type WaitingMessage,
} from "../../modules/sessions/index.ts";

/** Messages as entries, and the ids of the messages that are read with them. */
export interface TakenIn extends Required<Pick<SessionChange, "taken">> {
  readonly entries: readonly NewEntry[];
  /** The messages that became entries. */
  readonly messages: readonly WaitingMessage[];
}

/**
 * Turns waiting messages into entries. How a task ended is a note: it is data for the model, and nobody's request. A
 * message that the result of a call shows already becomes no entry.
 */
export function toTakenIn(waiting: readonly WaitingMessage[], entries: readonly Entry[]): TakenIn {
  const messages = waiting.filter((message) => !isShown(message, entries));
  const shown = waiting.filter((message) => !messages.includes(message));
  return {
    messages,
    entries: messages.map(toEntry),
    taken: [...messages, ...shown].map(({ id }) => id),
  };
}

function toEntry({ sender, channel, parts, trust }: WaitingMessage): NewEntry {
  if (channel === taskChannel) {
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return { kind: "note", about: taskChannel, text, trust, private: true };
  }
  return { kind: "user", ...(sender !== "user" && { sender }), parts, trust };
}

function isShown({ shownBy }: WaitingMessage, entries: readonly Entry[]): boolean {
  return (
    shownBy !== undefined &&
    entries.some((entry) => entry.kind === "result" && entry.callId === shownBy && !entry.failed)
  );
}
