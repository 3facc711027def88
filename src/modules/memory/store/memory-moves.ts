import { type Clock, cutHead } from "../../../base/index.ts";
import type { Trust } from "../../../kernel/index.ts";
import { labelTaken } from "./entries/refusals.ts";
import { entryLimits } from "./entry-limits.ts";
import type { MemoryEntry, NewMemoryEntry } from "./memory-entry.ts";
import { formatName, type MemoryGuard, type Need, type PlannedEdits, refusal } from "./memory-guard.ts";
import type { MemoryEdit } from "./memory-store.ts";
import { stricterTrust } from "./trust.ts";

/** A block that was put where it can be searched. */
export interface ArchivedBlock {
  readonly archived: MemoryEntry;
  /** An older text of that label was replaced. */
  readonly replaced: boolean;
}

/** A block that was put in sight. */
export interface LoadedBlock {
  readonly loaded: MemoryEntry;
  /** The archival one, where it stays. */
  readonly kept: MemoryEntry | undefined;
}

/** The block that came into the prompt, and the one that left it. */
export interface SwappedBlocks extends LoadedBlock {
  readonly archived: MemoryEntry;
}

/** `<label><end>`, or with a number where that is taken. */
export async function freeLabel(guard: MemoryGuard, label: string, end: string): Promise<string> {
  for (let count = 1; ; count++) {
    const ending = count === 1 ? end : `${end}_${count}`;
    const wanted = cutHead(label, entryLimits.label - ending.length) + ending;
    if ((await guard.findOwn(wanted)) === undefined) return wanted;
  }
}

/** Out of sight, to be searched: in place of what has the archival label, if that may be overwritten. */
export async function archive(
  guard: MemoryGuard,
  key: string,
  archivalLabel: string | undefined,
  clock: Clock,
): Promise<ArchivedBlock> {
  let replaced = false;
  const entries = await guard.change(async () => {
    const source = await guard.get(key);
    requireInSight(source, "archive");
    const needs: Need[] = [{ entry: source, operation: "delete", what: "archive" }];
    const label = archivalLabel ?? (await freeLabel(guard, formatName(source), `_archived_${clock.now()}`));
    const target = label === source.label ? undefined : await guard.findOwn(label);
    replaced = target !== undefined;
    if (target !== undefined) needs.push({ entry: target, operation: "overwrite", what: "archive over" });
    guard.require(...needs);
    if (target !== undefined) return { edits: replace(source, target) };
    // A label is shown like the text.
    const trust = stricterTrust(source.trust, archivalLabel === undefined ? undefined : guard.caller.trust);
    return { edits: [toArchive(source, { label, trust })] };
  });
  return { archived: entries[0] as MemoryEntry, replaced };
}

function toArchive({ id, revision }: MemoryEntry, told: { label?: string; trust?: Trust } = {}): MemoryEdit {
  const { label, trust } = told;
  const facts = { tier: "archival", pinned: false, ...(label !== undefined && { label }) } as const;
  return { do: "set_block_facts", id, revision, facts, ...(trust !== undefined && { trust }) };
}

function replace(source: MemoryEntry, target: MemoryEntry): MemoryEdit[] {
  if (target.tier !== "archival") throw labelTaken(target.label ?? "");
  const trust = stricterTrust(source.trust, target.trust);
  return [
    { do: "update_block_text", id: target.id, revision: target.revision, text: source.text, trust },
    { do: "delete_block", id: source.id, revision: source.revision },
  ];
}

/**
 * Loads an entry into sight: the archival one itself, or under another label a new block that says the same.
 */
export async function load(
  guard: MemoryGuard,
  key: string,
  newLabel: string | undefined,
): Promise<LoadedBlock> {
  let kept: MemoryEntry | undefined;
  const entries = await guard.change(async () => {
    const source = await guard.get(key);
    requireArchival(source, "load");
    const copies = newLabel !== undefined && newLabel !== source.label;
    kept = copies ? source : undefined;
    if (!copies) return { edits: [toSight(guard, source)] };
    const target = await guard.findOwn(newLabel);
    if (target !== undefined) throw labelTaken(target.label ?? "");
    return { edits: [toCopy(guard, source, newLabel)], sources: [source.id] };
  });
  return { loaded: entries[0] as MemoryEntry, kept };
}

function toSight(guard: MemoryGuard, source: MemoryEntry): MemoryEdit {
  if (source.scope !== guard.scope)
    throw refusal(
      "MEMORY_NOT_OWNER",
      source,
      "load",
      `it is shared by "${source.scope}"; give another label to load a copy of it`,
    );
  return { do: "set_block_facts", id: source.id, revision: source.revision, facts: { tier: "working" } };
}

/** It allows no more than what it is a copy of. */
function toCopy(guard: MemoryGuard, source: MemoryEntry, label: string): MemoryEdit {
  const { text, title, names, category, tags, permission, validFrom, validTo } = source;
  const entry: NewMemoryEntry = {
    kind: "block",
    label,
    tier: "working",
    text,
    names,
    tags,
    permission,
    trust: stricterTrust(source.trust, guard.caller.trust),
    ...(title !== undefined && { title }),
    ...(category !== undefined && { category }),
    ...(validFrom !== undefined && { validFrom }),
    ...(validTo !== undefined && { validTo }),
  };
  return { do: "create_block", entry };
}

/**
 * Archives one block and loads another, both or neither. The block that makes room may be overwritten; the archival one
 * leaves the archive only where it may be deleted, else a copy of it is loaded.
 */
export async function swap(
  guard: MemoryGuard,
  archiveKey: string,
  loadKey: string,
  label: string | undefined,
): Promise<SwappedBlocks> {
  let kept: MemoryEntry | undefined;
  const entries = await guard.change(async (): Promise<PlannedEdits> => {
    const [destination, source] = [await guard.get(archiveKey), await guard.get(loadKey)];
    requireInSight(destination, "archive");
    requireArchival(source, "load");
    const leaves = (label === undefined || label === source.label) && mayLeave(guard, source);
    kept = leaves ? undefined : source;
    const wanted = leaves ? undefined : (label ?? (await freeLabel(guard, formatName(source), "_working")));
    const target = wanted === undefined ? undefined : await guard.findOwn(wanted);
    if (target !== undefined) throw labelTaken(target.label ?? "");
    guard.requireOwn(destination, "archive");
    guard.require({ entry: destination, operation: "overwrite", what: "swap" });
    const archived = toArchive(destination);
    if (wanted === undefined) return { edits: [archived, toSight(guard, source)] };
    return { edits: [archived, toCopy(guard, source, wanted)], sources: [source.id] };
  });
  return { archived: entries[0] as MemoryEntry, loaded: entries[1] as MemoryEntry, kept };
}

function mayLeave({ scope, caller }: MemoryGuard, source: MemoryEntry): boolean {
  return source.scope === scope && (caller.owner === true || source.permission === "admin");
}

function requireInSight(entry: MemoryEntry, what: string): void {
  if (entry.tier === "core" || entry.tier === "working") return;
  throw refusal(
    "MEMORY_INVALID",
    entry,
    what,
    `it is ${entry.tier}; only core and working blocks are in sight`,
  );
}

function requireArchival(entry: MemoryEntry, what: string): void {
  if (entry.tier === "archival") return;
  throw refusal("MEMORY_INVALID", entry, what, `it is ${entry.tier}; only what is archival can be loaded`);
}
