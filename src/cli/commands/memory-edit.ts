import type { MemoryEntry } from "../../store/index.ts";
import { editText } from "../memory/edit-text.ts";
import { findEntry, type MemoryOptions, type OwnMemory, openMemory } from "../memory/open-memory.ts";
import { tellMore } from "../memory/told-fault.ts";
import type { Session } from "../session.ts";
import { readAll } from "../stdin-text.ts";
import { tellEntry } from "./memory-add.ts";

export async function editEntry(session: Session, of: MemoryOptions, key: string): Promise<void> {
  const { streams } = session.terminal;
  const own = await openMemory(session, of);
  const entry = await findEntry(own, key);
  if (streams.stdin.isTTY !== true) {
    const text = await readAll(streams.stdin, session.signal);
    await put(session, own, entry, entry.text.endsWith("\n") ? text : text.replace(/\r?\n$/, ""));
    return;
  }
  const edited = await editText(entry.text);
  try {
    await put(session, own, entry, edited.text);
  } catch (thrown) {
    throw tellMore(thrown, `(what you wrote is in ${edited.file})`);
  }
  await edited.forget();
}

/** For what it was when it was read, and for that alone. */
async function put(
  session: Session,
  { store, scope, author }: OwnMemory,
  { id, revision, text: before }: MemoryEntry,
  text: string,
): Promise<void> {
  const [entry] = await store.edit(scope, [{ do: "update_block_text", id, revision, text }], author);
  tellEntry(session, entry as MemoryEntry, text === before ? "is as it was" : "is changed");
}
