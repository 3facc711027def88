import { readOverview } from "../../../app/memory/index.ts";
import { type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import { renderOverview } from "../../memory/overview-text.ts";
import type { Session } from "../../session.ts";

export async function showOverview(session: Session, of: MemoryOptions): Promise<void> {
  const { terminal } = session;
  const overview = await readOverview(await openMemory(session, of));
  if (session.asJson) terminal.json(overview);
  else terminal.out(renderOverview(overview, terminal));
}
