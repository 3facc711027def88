import type { SeenText } from "../../kernel/index.ts";
import type { MemoryEntry } from "../../modules/memory/index.ts";

/** Memories that a model is shown, as the gate is told of them: each with its own trust. */
export function toSeenMemories(entries: readonly MemoryEntry[]): readonly SeenText[] {
  return entries.map(({ id, text, trust }) => ({
    kind: "text",
    callId: id,
    toolName: "memory",
    text,
    trust,
    private: true,
  }));
}
