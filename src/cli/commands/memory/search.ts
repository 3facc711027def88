import type { MemorySearch } from "../../../modules/memory/index.ts";
import { CliError } from "../../errors.ts";
import { describeSearch, renderHits } from "../../memory/hits-text.ts";
import { type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import { type SelectionOptions, toFilter } from "../../memory/selection.ts";
import type { Session } from "../../session.ts";

export interface SearchOptions extends SelectionOptions {
  readonly mode: NonNullable<MemorySearch["mode"]>;
  readonly recent?: boolean;
  readonly window: number;
  readonly limit: number;
  readonly offset: number;
}

export async function searchMemory(
  session: Session,
  of: MemoryOptions,
  query: string,
  options: SearchOptions,
): Promise<void> {
  const { terminal, signal } = session;
  if (query.trim() === "")
    throw new CliError(
      "CLI_USAGE",
      "Cannot search for nothing: say what, as in `haft memory search where does Ada live`; `haft memory list` shows all",
    );
  const { memory, scope } = await openMemory(session, of);
  const { mode, window, limit, offset, recent } = options;
  const found = await memory.searchBlocks({
    query,
    ...toFilter(options),
    mode,
    window,
    limit,
    offset,
    order: recent === true ? "recent" : "relevance",
    signal,
  });
  if (session.asJson) terminal.json(found);
  else {
    if (found.hits.length > 0) terminal.out(renderHits(found, { scope, offset }, terminal));
    terminal.err(`${terminal.foreignError(describeSearch(found, offset))}\n`);
  }
}
