import { isRecord, type Json } from "../../../base/index.ts";
import type { Redact } from "../../../kernel/index.ts";
import type { AssistantMessage, UserMessage } from "../../../model/index.ts";
import type { NewEntry } from "./entries.ts";

type Part = UserMessage["parts"][number] | AssistantMessage["parts"][number];

/** Takes secrets out of parts of a message. A thought is signed, and an image is no text: both stay as they are. */
export function redactParts<One extends Part>(parts: readonly One[], redact: Redact): readonly One[] {
  return parts.map((part) => {
    if (part.type === "text") return { ...part, text: redact(part.text) };
    return part.type === "call" ? { ...part, input: redact(part.input) } : part;
  });
}

/** Takes secrets out of an entry. */
export function redactEntry(entry: NewEntry, redact: Redact): NewEntry {
  switch (entry.kind) {
    case "user":
      return { ...entry, parts: redactParts(entry.parts, redact) };
    case "answer":
      return { ...entry, message: { ...entry.message, parts: redactParts(entry.message.parts, redact) } };
    case "note":
      return {
        ...entry,
        text: redact(entry.text),
        ...(entry.state !== undefined && { state: redactState(entry.state, redact) }),
      };
    case "result":
    case "summary":
      return { ...entry, text: redact(entry.text) };
    case "parked":
    case "interrupt":
    case "prune":
      return entry;
    default:
      return entry satisfies never;
  }
}

function redactState(state: Json, redact: Redact): Json {
  if (typeof state === "string") return redact(state);
  if (Array.isArray(state)) return state.map((one) => redactState(one, redact));
  if (!isRecord(state)) return state;
  return Object.fromEntries(Object.entries(state).map(([key, one]) => [key, redactState(one, redact)]));
}
