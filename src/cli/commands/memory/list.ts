import { listDeleted, ownKinds } from "../../../app/memory/index.ts";
import type { MemoryListing } from "../../../modules/memory/index.ts";
import { renderEntryList } from "../../memory/entry-text.ts";
import { type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import { type SelectionOptions, toFilter } from "../../memory/selection.ts";
import type { Session } from "../../session.ts";

export interface ListOptions extends SelectionOptions {
  readonly deleted?: boolean;
  readonly all?: boolean;
  readonly limit: number;
  readonly after?: string;
}

export async function listMemory(session: Session, of: MemoryOptions, options: ListOptions): Promise<void> {
  const { terminal } = session;
  const own = await openMemory(session, of);
  const { limit, after, kind, all, deleted } = options;
  const listing: MemoryListing = {
    ...toFilter(options),
    ...(kind === undefined && all !== true && { exceptKinds: ownKinds }),
    ...((all === true || deleted === true) && { with: ["superseded", "invalid"] }),
    ...(after !== undefined && { after }),
    limit,
  };
  const page =
    deleted === true
      ? await listDeleted(own.memory, listing, session.signal)
      : await own.memory.listBlocks(listing);
  if (session.asJson) {
    terminal.json(page);
    return;
  }
  if (page.entries.length === 0)
    terminal.err(deleted === true ? "Nothing that fits was deleted\n" : "Nothing that fits is remembered\n");
  else terminal.out(renderEntryList(page.entries, own.scope, terminal));
  if (page.next !== undefined) {
    const total = page.total === undefined ? "" : ` of ${totalText(page.total)}`;
    terminal.err(`These are ${page.entries.length}${total}; the next: --after ${page.next}\n`);
  }
}

/** Past it nobody counts. */
function totalText(total: number): string {
  return total >= 10_000 ? "10,000 or more" : total.toLocaleString("en");
}
