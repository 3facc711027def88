import { oneLine } from "../../../../base/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { NoteError } from "./errors.ts";
import type { DigestSource, MemoryDigest, NoteServices } from "./services.ts";

/** @throws {NoteError} NOTE_MODEL without one */
export function requireDigest({ digest }: NoteServices, what: string, instead: string): MemoryDigest {
  if (digest !== undefined) return digest;
  throw new NoteError(
    "NOTE_MODEL",
    `Cannot ${what}: that takes a model, and none is configured (memory.model); ${instead}`,
  );
}

export function toDigestSource({ title, label, kind, text, at }: MemoryEntry): DigestSource {
  return { title: oneLine(title ?? label ?? kind), text, at };
}

/** @throws {NoteError} NOTE_MODEL for an answer with nothing in it: what is there stays */
export function digested(text: string, what: string): string {
  const digest = text.trim();
  if (digest !== "") return digest;
  throw new NoteError(
    "NOTE_MODEL",
    `Cannot ${what}: the model gave an empty text; nothing was changed, try again`,
  );
}
