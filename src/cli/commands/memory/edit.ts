import type { MemoryEntry } from "../../../modules/memory/index.ts";
import { readAll } from "../../calls/stdin-text.ts";
import { CliError } from "../../errors.ts";
import { editText } from "../../memory/edit-text.ts";
import { formatEntryName } from "../../memory/entry-text.ts";
import { findEntry, type MemoryOptions, type OwnMemory, openMemory } from "../../memory/open-memory.ts";
import { tellMore } from "../../memory/told-fault.ts";
import type { Session } from "../../session.ts";
import { tellEntry } from "./add.ts";

export async function editEntry(session: Session, of: MemoryOptions, key: string): Promise<void> {
  const { streams } = session.terminal;
  const own = await openMemory(session, of);
  const entry = await findEntry(own, key);
  if (streams.stdin.isTTY !== true) {
    const text = await readAll(streams.stdin, session.signal);
    refuseEmpty(text, entry, "standard input is no terminal, and says nothing");
    await put(session, own, entry, entry.text.endsWith("\n") ? text : text.replace(/\r?\n$/, ""));
    return;
  }
  const edited = await editText(entry.text);
  const isWritten = edited.text !== entry.text && edited.text.trim() !== "";
  if (!isWritten) await edited.forget();
  refuseEmpty(edited.text, entry, "the editor left nothing");
  try {
    await put(session, own, entry, edited.text);
  } catch (thrown) {
    throw isWritten ? tellMore(thrown, `(what you wrote is in ${edited.file})`) : thrown;
  }
  await edited.forget();
}

/** A pipe that brought nothing is a slip more often than a wish. */
function refuseEmpty(text: string, entry: MemoryEntry, why: string): void {
  if (text.trim() === "")
    throw new CliError(
      "CLI_USAGE",
      `Cannot make "${formatEntryName(entry)}" empty: ${why}; \`haft memory delete\` puts an entry away`,
    );
}

/** Puts a text in place of what was read, and of that alone. */
async function put(
  session: Session,
  { store, scope, author }: OwnMemory,
  { id, revision, text: before }: MemoryEntry,
  text: string,
): Promise<void> {
  const [entry] = await store.edit(scope, [{ do: "update_block_text", id, revision, text }], author);
  tellEntry(session, entry as MemoryEntry, text === before ? "is as it was" : "is changed");
}
