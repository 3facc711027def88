import { confirm } from "../../asking/confirm.ts";
import { formatEntryName } from "../../memory/entry-text.ts";
import { findEntry, type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import type { Session } from "../../session.ts";
import { tellEntry } from "./add.ts";

const outcomes = {
  undo: "is as it was before its last change; `haft memory redo` makes that again",
  redo: "has the change again",
  delete: "is deleted; `haft memory restore` brings it back",
  restore: "is there again",
} as const;

export async function change(
  session: Session,
  of: MemoryOptions,
  what: keyof typeof outcomes,
  key: string,
): Promise<void> {
  const own = await openMemory(session, of);
  const found = await findEntry(own, key);
  const { id } = found;
  const { memory } = own;
  if (what === "delete" && found.deletedAt !== undefined) {
    tellEntry(session, found, "is deleted already; `haft memory restore` brings it back");
    return;
  }
  const entry = await {
    undo: () => memory.undoBlock(id),
    redo: () => memory.redoBlock(id),
    delete: () => memory.deleteBlock(id),
    restore: () => memory.restoreBlock(id),
  }[what]();
  const isThere = what === "restore" && found.deletedAt === undefined;
  tellEntry(session, entry, isThere ? "was not deleted" : outcomes[what]);
}

export async function erase(session: Session, of: MemoryOptions, key: string, yes: boolean): Promise<void> {
  const own = await openMemory(session, of);
  const entry = await findEntry(own, key);
  await confirm(session, {
    message: `Erase "${formatEntryName(entry)}" and its history for good?`,
    action: `erase "${formatEntryName(entry)}"`,
    yes,
  });
  await own.memory.eraseBlock(entry.id);
  tellEntry(session, entry, "is erased");
}
