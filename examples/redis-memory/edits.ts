import {
  applyEdit,
  type ChangedFacts,
  type ChangingEdit,
  type EntryChecks,
  entryChanged,
  entryNotFound,
  type KeptEntry,
  type KeptVersion,
  keepEntry,
  keptVersionNumbers,
  labelTaken,
  type MemoryAuthor,
  type MemoryEdit,
  type MemoryEntry,
  MemoryError,
  type MemoryPlace,
  makeKeptVersion,
  seenBy,
} from "haft/modules/memory";
import type { Keys } from "./keys.ts";
import type { Transaction } from "./transaction.ts";

type Creation = Extract<MemoryEdit, { do: "create_block" }>;

export interface EditsOptions {
  readonly keys: Keys;
  readonly checks: EntryChecks;
  readonly scope: string;
  readonly author: MemoryAuthor;
  /** Unix ms. */
  readonly at: number;
}

/** The changes of one transaction, one after the other. */
export class Edits {
  readonly #tx: Transaction;
  readonly #options: EditsOptions;
  /** The entry of each edit so far, and all of them as they are; of those erased, as they were last. */
  readonly #ids: string[] = [];
  readonly #latest = new Map<string, KeptEntry>();
  /** As they were before the first edit: what the caller read. */
  readonly #revisions = new Map<string, number>();

  constructor(tx: Transaction, options: EditsOptions) {
    this.#tx = tx;
    this.#options = options;
  }

  async make(edits: readonly MemoryEdit[]): Promise<readonly MemoryEntry[]> {
    for (const edit of edits)
      this.#ids.push(await (edit.do === "create_block" ? this.#create(edit) : this.#change(edit)));
    return this.#ids.map((id) => seenBy(this.#options.scope, this.#latest.get(id)) as MemoryEntry);
  }

  async #create({ entry, sources, was }: Creation): Promise<string> {
    const { keys, checks, scope, author: editor, at } = this.#options;
    const said = checks.entry(entry);
    if (was !== undefined) checks.former(was);
    const author = { ...(was?.author ?? editor), ...(sources !== undefined && { sources }) };
    const placed = {
      ...said,
      ...(said.place !== undefined && { place: await this.#placed(said.place) }),
      ...(was === undefined && (await this.#superseding(said))),
    };
    const kept = keepEntry(placed, { seq: await this.#tx.next(keys.seq()), scope, author, at, was });
    const { id } = kept.entry;
    if ((await this.#tx.get(keys.entry(id))) !== undefined)
      throw new MemoryError("MEMORY_INVALID", `Cannot use the id ${id}: another entry has it`);
    this.#tx.add(keys.scope(scope), id);
    await this.#put(undefined, kept, "create_block");
    return id;
  }

  async #placed(place: MemoryPlace): Promise<MemoryPlace> {
    const key = this.#options.keys.session(this.#options.scope, place.session);
    const last = (await this.#tx.get<number>(key)) ?? 0;
    const { position = last + 1 } = place;
    this.#tx.set(key, Math.max(last, position));
    return { ...place, position };
  }

  async #change(edit: ChangingEdit): Promise<string> {
    const { keys } = this.#options;
    const kept = await this.#find(edit.id);
    const { id } = kept.entry;
    const read = this.#revisions.get(id) ?? kept.entry.revision;
    this.#revisions.set(id, read);
    if (edit.revision !== undefined && edit.revision !== read)
      throw entryChanged(kept.entry, edit.revision, read);
    const made =
      edit.do === "set_block_facts"
        ? { ...edit, facts: { ...edit.facts, ...(await this.#superseding(edit.facts)) } }
        : edit;
    const readVersion = async (version: number) =>
      (await this.#tx.get<KeptVersion>(keys.version(id, version))) as KeptVersion;
    const next = await applyEdit(kept, made, { ...this.#options, readVersion });
    if (next === undefined) await this.#erase(kept);
    else if (next !== kept) await this.#put(kept, next, edit.do);
    return id;
  }

  async #put(before: KeptEntry | undefined, after: KeptEntry, change: string): Promise<void> {
    const { keys, author } = this.#options;
    const { id } = after.entry;
    await this.#moveLabel(before, after);
    this.#latest.set(id, after);
    this.#tx.set(keys.entry(id), after);
    for (const { scope } of before?.shares ?? []) this.#tx.remove(keys.scope(scope), id);
    for (const { scope } of after.shares) this.#tx.add(keys.scope(scope), id);
    if (after.newest === before?.newest) return;
    this.#tx.set(keys.version(id, after.newest), makeKeptVersion(after, author, change));
    const there = new Set(keptVersionNumbers(after));
    for (const old of before === undefined ? [] : keptVersionNumbers(before))
      if (!there.has(old)) this.#tx.delete(keys.version(id, old));
  }

  async #erase(kept: KeptEntry): Promise<void> {
    const { keys } = this.#options;
    const { id, scope: owner } = kept.entry;
    await this.#moveLabel(kept, undefined);
    this.#tx.delete(keys.entry(id));
    for (const version of keptVersionNumbers(kept)) this.#tx.delete(keys.version(id, version));
    for (const scope of [owner, ...kept.shares.map((share) => share.scope)])
      this.#tx.remove(keys.scope(scope), id);
  }

  /** The entry that has a label holds it until it is deleted. */
  async #moveLabel(before: KeptEntry | undefined, after: KeptEntry | undefined): Promise<void> {
    const [had, has] = [before, after].map((kept) =>
      kept?.entry.deletedAt === undefined ? kept?.entry.label : undefined,
    );
    if (had === has) return;
    const toKey = (label: string) => this.#options.keys.label(this.#options.scope, label);
    if (has !== undefined) {
      if ((await this.#tx.get(toKey(has))) !== undefined) throw labelTaken(has);
      this.#tx.set(toKey(has), after?.entry.id);
    }
    if (had !== undefined) this.#tx.delete(toKey(had));
  }

  async #superseding({ supersededBy }: ChangedFacts): Promise<{ readonly supersededBy?: string }> {
    return supersededBy ? { supersededBy: (await this.#find(supersededBy)).entry.id } : {};
  }

  /** By its id, or by `#0`, `#1`, …: the entry of that edit among these. */
  async #find(id: string): Promise<KeptEntry> {
    const index = /^#(\d+)$/u.exec(id)?.[1];
    const known = index === undefined ? id : this.#ids[Number(index)];
    if (known === undefined)
      throw new MemoryError("MEMORY_INVALID", `Cannot use the id "${id}": it is of no edit before this one`);
    const kept = await this.#tx.get<KeptEntry>(this.#options.keys.entry(known));
    if (kept === undefined || seenBy(this.#options.scope, kept) === undefined) throw entryNotFound(id);
    this.#latest.set(known, kept);
    return kept;
  }
}
