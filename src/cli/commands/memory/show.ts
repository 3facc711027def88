import type { MemoryVersion } from "../../../modules/memory/index.ts";
import { CliError } from "../../errors.ts";
import { formatEntryName, renderEntry, shown, withEnd } from "../../memory/entry-text.ts";
import { renderDifferences, renderHistory } from "../../memory/history-text.ts";
import { findEntry, type MemoryOptions, openMemory } from "../../memory/open-memory.ts";
import type { Session } from "../../session.ts";

export interface ShowOptions {
  readonly version?: number;
}

export interface HistoryOptions {
  readonly diff?: boolean;
}

export async function showEntry(
  session: Session,
  of: MemoryOptions,
  key: string,
  { version }: ShowOptions,
): Promise<void> {
  const { terminal } = session;
  const own = await openMemory(session, of);
  const entry = await findEntry(own, key);
  if (version !== undefined) {
    showVersion(session, findVersion(await own.store.history(own.scope, entry.id), key, version));
    return;
  }
  const shares = await own.store.shares(own.scope, entry.id);
  if (session.asJson) terminal.json({ ...entry, shares });
  else terminal.out(renderEntry(entry, { scope: own.scope, shares }, terminal));
}

function findVersion(versions: readonly MemoryVersion[], key: string, wanted: number): MemoryVersion {
  const found = versions.find(({ version }) => version === wanted);
  if (found !== undefined) return found;
  const kept = versions.map(({ version }) => version).toReversed();
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot show version ${wanted} of "${key}": ${kept.length === 0 ? "only its owner has its history" : `there are ${kept.join(", ")}`}`,
  );
}

function showVersion({ terminal, asJson }: Session, version: MemoryVersion): void {
  if (asJson) terminal.json(version);
  else terminal.out(withEnd(terminal.foreign(version.text)));
}

export async function showHistory(
  session: Session,
  of: MemoryOptions,
  key: string,
  { diff }: HistoryOptions,
): Promise<void> {
  const { terminal } = session;
  const own = await openMemory(session, of);
  const entry = await findEntry(own, key);
  const versions = await own.store.history(own.scope, entry.id);
  if (session.asJson) terminal.json(versions);
  else if (versions.length === 0)
    terminal.err(
      `${shown(terminal, formatEntryName(entry))} is shared by ${shown(terminal, entry.scope)}, which alone has its history\n`,
    );
  else {
    terminal.out((diff === true ? renderDifferences : renderHistory)(versions, terminal));
    if (diff !== true) terminal.err("* is in force; `haft memory show ENTRY --version N` shows one\n");
  }
}
