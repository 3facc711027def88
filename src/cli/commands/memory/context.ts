import { countText, withEnd } from "../../memory/entry-text.ts";
import { type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import type { Session } from "../../session.ts";

export async function showContext(session: Session, of: MemoryOptions, budget: number): Promise<void> {
  const { terminal } = session;
  const { store, scope } = await openMemory(session, of);
  const { memoryContext } = await import("../../../modules/memory/upkeep/index.ts");
  const context = await memoryContext(store, scope, budget);
  if (session.asJson) {
    terminal.json(context);
    return;
  }
  if (context.text !== "") terminal.out(withEnd(terminal.foreign(context.text)));
  const { entries, tokens, leftOut } = context;
  terminal.err(
    entries.length === 0
      ? "Nothing goes into prompts by itself: no entry is core, working, pinned or an observation\n"
      : `${countText(entries.length)}, ${tokens} tokens${leftOut === 0 ? "" : `; ${leftOut} had no room`}\n`,
  );
}
