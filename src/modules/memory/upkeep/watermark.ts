import { hash } from "node:crypto";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryEdit, MemoryStore } from "../store/memory-store.ts";

/** The kind of the entry that says how far a conversation was observed. */
const watermarkKind = "watermark";

/**
 * How far a conversation was observed. It is an entry as well: it moves in the same edit as the observations are made,
 * and so they are made once, whoever is killed when.
 */
export interface Watermark {
  /** The position of the last message that was looked at; undefined where none was. */
  readonly position: number | undefined;
  readonly entry: MemoryEntry | undefined;
}

export async function readWatermark(store: MemoryStore, scope: string, session: string): Promise<Watermark> {
  const entry = await store.get(scope, toLabel(session));
  if (entry?.scope !== scope || entry.kind !== watermarkKind)
    return { position: undefined, entry: undefined };
  const position = Number(entry.text);
  return { position: Number.isSafeInteger(position) ? position : undefined, entry };
}

/** Fails with MEMORY_CHANGED or MEMORY_LABEL_TAKEN where another has moved it meanwhile. */
export function moveWatermark({ entry }: Watermark, session: string, position: number): MemoryEdit {
  const text = String(position);
  if (entry !== undefined) return { do: "update_block_text", id: entry.id, revision: entry.revision, text };
  return {
    do: "create_block",
    sources: [],
    entry: { kind: watermarkKind, label: toLabel(session), tier: "log", permission: "read_only", text },
  };
}

/** Names of sessions may be longer than a label. */
function toLabel(session: string): string {
  return `observed/${hash("sha256", session).slice(0, 32)}`;
}
