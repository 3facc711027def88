import { ownKinds } from "../../../app/memory/index.ts";
import type { MemoryEntry, MemoryListing } from "../../../modules/memory/index.ts";
import { renderEntryList } from "../../memory/entry-text.ts";
import { type MemoryOptions, type OwnMemory, openMemory } from "../../memory/open-memory.ts";
import { type SelectionOptions, toFilter } from "../../memory/selection.ts";
import type { Session } from "../../session.ts";

export interface ListOptions extends SelectionOptions {
  readonly deleted?: boolean;
  readonly all?: boolean;
  readonly limit: number;
  readonly after?: string;
}

interface Listed {
  readonly entries: readonly MemoryEntry[];
  /** Undefined: nobody counted. */
  readonly total: number | undefined;
  readonly next: string | undefined;
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
  const page: Listed =
    deleted === true ? await listDeleted(own, listing, session.signal) : await own.memory.listBlocks(listing);
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

/** A listing takes them along; those that are not deleted are passed over. */
async function listDeleted(
  { memory }: OwnMemory,
  listing: MemoryListing,
  signal: AbortSignal,
): Promise<Listed> {
  const { limit = 50, ...rest } = listing;
  const entries: MemoryEntry[] = [];
  let { after } = listing;
  do {
    signal.throwIfAborted();
    const page = await memory.listBlocks({
      ...rest,
      owned: "own",
      with: ["deleted", "superseded", "invalid"],
      limit: Math.max(limit - entries.length, 1),
      ...(after !== undefined && { after }),
    });
    entries.push(...page.entries.filter(({ deletedAt }) => deletedAt !== undefined));
    after = page.next;
  } while (after !== undefined && entries.length < limit);
  return { entries, total: undefined, next: after };
}
