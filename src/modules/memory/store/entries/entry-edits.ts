import type { Transaction } from "kysely";
import { forgetFacts } from "../graph/forget-facts.ts";
import type { MemoryAuthor, MemoryEntry, MemoryFacts, MemoryPlace, NewMemoryEntry } from "../memory-entry.ts";
import type { EditedEntry, FormerEntry, MemoryEdit } from "../memory-store.ts";
import { indexEntries, unindexEntries } from "../search/index-text.ts";
import type { Tables } from "../tables.ts";
import type { MemoryVectors } from "../vectors/memory-vectors.ts";
import { checkedAuthor, checkSharedWith, type EntryChecks, invalid } from "./checked-entry.ts";
import { toEntry, toFactColumns, toFacts, toIndexed } from "./entry-row.ts";
import type { MemoryEntryRow } from "./entry-tables.ts";
import { findById, type SeenRow } from "./find-entries.ts";
import { type Creation, insertRows, type NewRow, newRow, nextPosition } from "./new-entries.ts";
import { entryChanged, entryDeleted, entryNotFound, labelTaken, notOwner } from "./refusals.ts";
import { dropShare, putShare, readScopes, readShare } from "./shares.ts";
import { nextVersion, stepTo } from "./versions.ts";

export interface EditsOptions extends Creation {
  readonly checks: EntryChecks;
  /** Told of texts that are new or say something else, and of those that are no more. */
  readonly vectors: Pick<MemoryVectors, "noteTexts" | "noteNew" | "forgetTexts">;
}

type Creating = Extract<MemoryEdit, { do: "create_block" }>;
type Changing = Exclude<MemoryEdit, Creating>;
type Columns = Partial<MemoryEntryRow>;

/** What entries are found by. */
const indexedColumns = ["text", "label", "title", "names", "tags", "category"] as const;
/** The entry of an edit before this one. */
const reference = /^#(\d+)$/u;

/** The changes of one transaction, made one after the other. */
export class EntryEdits {
  readonly #tx: Transaction<Tables>;
  readonly #options: EditsOptions;
  readonly #scope: string;
  /** The entries by id: as they are now; erased ones as they were last. */
  readonly #seen = new Map<string, SeenRow>();
  /** Revisions before the first of these edits: what the caller read. */
  readonly #revisions = new Map<string, number>();
  /** The id of the entry of each edit so far. */
  readonly #ids: string[] = [];
  /** Ids that entries bring along. */
  readonly #brought = new Set<string>();
  readonly #erased = new Set<string>();

  constructor(tx: Transaction<Tables>, options: EditsOptions) {
    this.#tx = tx;
    this.#options = options;
    this.#scope = options.scope;
  }

  async make(edits: readonly MemoryEdit[]): Promise<readonly MemoryEntry[]> {
    for (let index = 0; index < edits.length; ) {
      const created = leadingCreations(edits, index);
      if (created.length > 0) await this.#createAll(created);
      else await this.#change(edits[index] as Changing);
      index += Math.max(created.length, 1);
    }
    return this.#ids.map((id) => {
      const { row, shared } = this.#seen.get(id) as SeenRow;
      return toEntry(row, shared);
    });
  }

  async #createAll(edits: readonly Creating[]): Promise<void> {
    const rows: NewRow[] = [];
    const labels = new Set<string>();
    const positions = new Map<string, number>();
    for (const { entry, sources, was } of edits) {
      const checked = await this.#checked(entry, was, positions);
      const { label } = checked;
      if (label !== undefined && was?.deletedAt === undefined) {
        if (labels.has(label)) throw labelTaken(label);
        await this.#requireFree(label);
        labels.add(label);
      }
      const by = was?.author === undefined ? this.#options.author : checkedAuthor(was.author);
      const row = newRow(checked, { ...this.#options, author: formatOrigin(by, sources) }, was);
      this.#ids.push(row.id);
      rows.push(row);
    }
    const inserted = await insertRows(this.#tx, rows);
    for (const row of inserted) this.#seen.set(row.id, { row, shared: undefined });
    await indexEntries(
      this.#tx,
      inserted.map((row) => toIndexed(row, [this.#scope])),
    );
    await this.#options.vectors.noteNew(
      this.#tx,
      inserted.map(({ seq }) => seq),
    );
  }

  async #checked(
    entry: NewMemoryEntry,
    was: FormerEntry | undefined,
    positions: Map<string, number>,
  ): Promise<NewMemoryEntry> {
    const checked = this.#options.checks.entry(entry);
    const { place, supersededBy } = checked;
    if (was !== undefined) await this.#checkFormer(was);
    return {
      ...checked,
      ...(supersededBy !== undefined &&
        was === undefined && { supersededBy: await this.#existing(supersededBy) }),
      ...(place !== undefined && { place: await this.#placed(place, positions) }),
    };
  }

  async #checkFormer(was: FormerEntry): Promise<void> {
    this.#options.checks.former(was);
    const { id } = was;
    if (id === undefined) return;
    const taken = await this.#tx
      .selectFrom("memory_entry")
      .select("seq")
      .where("id", "=", id)
      .executeTakeFirst();
    if (taken !== undefined || this.#brought.has(id)) throw invalid("was.id", "another entry has it");
    this.#brought.add(id);
  }

  async #placed(place: MemoryPlace, positions: Map<string, number>): Promise<MemoryPlace> {
    const { session } = place;
    const next = positions.get(session) ?? (await nextPosition(this.#tx, this.#scope, session));
    const position = place.position ?? next;
    positions.set(session, Math.max(next, position + 1));
    return { ...place, position };
  }

  async #change(edit: Changing): Promise<void> {
    const seen = await this.#find(edit);
    const { row } = seen;
    this.#ids.push(row.id);
    switch (edit.do) {
      case "update_block_text":
      case "append_to_block": {
        const { checks } = this.#options;
        const text =
          edit.do === "update_block_text" ? checks.text(edit.text) : checks.appended(row.text, edit.text);
        requireThere(row);
        return this.#write(seen, { text, trust: edit.trust ?? row.trust }, edit.do);
      }
      case "set_block_facts":
        this.#requireOwn(seen);
        requireThere(row);
        return this.#setFacts(seen, edit);
      case "delete_block":
        this.#requireOwn(seen);
        requireThere(row);
        return this.#write(seen, { deleted_at: this.#options.at }, edit.do);
      case "restore_block":
        this.#requireOwn(seen);
        if (row.deleted_at === null) return;
        await this.#requireFree(row.label);
        return this.#write(seen, { deleted_at: null }, edit.do);
      case "undo_block":
      case "redo_block":
        this.#requireOwn(seen);
        return this.#step(seen, edit.do);
      case "share_block":
      case "unshare_block":
        this.#requireOwn(seen);
        requireThere(row);
        return this.#share(seen, edit);
      case "erase_block":
        this.#requireOwn(seen);
        return this.#erase(row);
      default:
        edit satisfies never;
    }
  }

  async #setFacts(seen: SeenRow, edit: Extract<Changing, { do: "set_block_facts" }>): Promise<void> {
    const { row } = seen;
    const facts = this.#options.checks.facts(edit.facts, toFacts(row));
    const supersededBy = facts.supersededBy && (await this.#existing(facts.supersededBy));
    if (supersededBy === row.id) throw invalid("supersededBy", "an entry can't take its own place");
    const all = { ...toFacts(row), ...facts, ...(supersededBy && { supersededBy }) };
    const left = Object.entries(all).filter(([, value]) => value !== null && value !== undefined);
    const columns = toFactColumns(Object.fromEntries(left) as MemoryFacts);
    if (columns.label !== row.label) await this.#requireFree(columns.label);
    return this.#write(seen, { ...columns, trust: edit.trust ?? row.trust }, "set_block_facts");
  }

  /** A version for each change that changes anything. */
  async #write(seen: SeenRow, columns: Columns, change: Changing["do"]): Promise<void> {
    const { row } = seen;
    if (Object.keys(differing(row, { ...row, ...columns })).length === 0) return;
    const version = await nextVersion(this.#tx, row);
    await this.#put(seen, { ...columns, ...version, change, changed_by: this.#options.author });
  }

  async #step(seen: SeenRow, step: "undo_block" | "redo_block"): Promise<void> {
    const columns = await stepTo(this.#tx, seen.row, step);
    const next = { ...seen.row, ...columns };
    if (next.deleted_at === null && (next.label !== seen.row.label || seen.row.deleted_at !== null))
      await this.#requireFree(next.label);
    await this.#put(seen, columns);
  }

  async #put({ row, shared }: SeenRow, columns: Columns): Promise<void> {
    const next: MemoryEntryRow = {
      ...row,
      ...columns,
      revision: row.revision + 1,
      changed_at: this.#options.at,
    };
    await this.#update(row, next);
    this.#seen.set(row.id, { row: next, shared });
    if (indexedColumns.every((column) => next[column] === row[column])) return;
    const scopes = await readScopes(this.#tx, row);
    await unindexEntries(this.#tx, [toIndexed(row, scopes)]);
    await indexEntries(this.#tx, [toIndexed(next, scopes)]);
    await this.#options.vectors.noteTexts(this.#tx, [row.seq]);
  }

  async #update(row: MemoryEntryRow, next: MemoryEntryRow): Promise<void> {
    await this.#tx.updateTable("memory_entry").set(differing(row, next)).where("seq", "=", row.seq).execute();
  }

  /** Whoever has it now can find it; what it says stays as it was, and no version is made. */
  async #share(
    { row }: SeenRow,
    edit: Extract<Changing, { do: "share_block" | "unshare_block" }>,
  ): Promise<void> {
    const scope = edit.with;
    const before = await readShare(this.#tx, row, scope);
    if (edit.do === "share_block") {
      checkSharedWith(scope, row.scope);
      if (before === edit.permission) return;
      await putShare(this.#tx, row, { scope, permission: edit.permission, at: this.#options.at });
      if (before === undefined) await indexEntries(this.#tx, [toIndexed(row, [scope])]);
    } else {
      if (before === undefined) return;
      await dropShare(this.#tx, row, scope);
      await unindexEntries(this.#tx, [toIndexed(row, [scope])]);
    }
    const next = { ...row, revision: row.revision + 1 };
    await this.#update(row, next);
    this.#seen.set(row.id, { row: next, shared: undefined });
  }

  /** Its versions and shares go with its row. */
  async #erase(row: MemoryEntryRow): Promise<void> {
    await forgetFacts(this.#tx, row.scope, [row.id]);
    await unindexEntries(this.#tx, [toIndexed(row, await readScopes(this.#tx, row))]);
    await this.#options.vectors.forgetTexts(this.#tx, row.scope, [row.seq]);
    await this.#tx.deleteFrom("memory_entry").where("seq", "=", row.seq).execute();
    this.#erased.add(row.id);
  }

  async #find({ id, revision }: EditedEntry): Promise<SeenRow> {
    const known = this.#referred(id);
    const seen = this.#seen.get(known) ?? (await findById(this.#tx, this.#scope, known));
    if (seen === undefined || this.#erased.has(known)) throw entryNotFound(id);
    this.#seen.set(known, seen);
    const read = this.#revisions.get(known) ?? seen.row.revision;
    this.#revisions.set(known, read);
    if (revision !== undefined && revision !== read) throw entryChanged(seen.row, revision, read);
    return seen;
  }

  #referred(id: string): string {
    const index = reference.exec(id)?.[1];
    if (index === undefined) return id;
    const known = this.#ids[Number(index)];
    if (known === undefined) throw invalid("id", `"${id}" is of no change before this one`);
    return known;
  }

  async #existing(id: string): Promise<string> {
    const known = this.#referred(id);
    if (known !== id || this.#seen.has(known)) return known;
    if ((await findById(this.#tx, this.#scope, known)) === undefined) throw entryNotFound(id);
    return known;
  }

  #requireOwn({ row, shared }: SeenRow): void {
    if (shared !== undefined) throw notOwner(row);
  }

  async #requireFree(label: string | null): Promise<void> {
    if (label === null) return;
    const taken = await this.#tx
      .selectFrom("memory_entry")
      .select("id")
      .where("scope", "=", this.#scope)
      .where("label", "=", label)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (taken !== undefined) throw labelTaken(label);
  }
}

/** The author and the sources as JSON. */
function formatOrigin(author: string, sources: readonly string[] | undefined): string {
  return sources === undefined ? author : checkedAuthor({ ...(JSON.parse(author) as MemoryAuthor), sources });
}

function leadingCreations(edits: readonly MemoryEdit[], from: number): readonly Creating[] {
  const created: Creating[] = [];
  for (let index = from; index < edits.length; index++) {
    const edit = edits[index] as MemoryEdit;
    if (edit.do !== "create_block") break;
    created.push(edit);
  }
  return created;
}

/** An index is written only where one of its columns is set. */
function differing(row: MemoryEntryRow, next: MemoryEntryRow): Columns {
  const names = Object.keys(next) as (keyof MemoryEntryRow)[];
  return Object.fromEntries(
    names.filter((name) => next[name] !== row[name]).map((name) => [name, next[name]]),
  );
}

function requireThere(row: MemoryEntryRow): void {
  if (row.deleted_at !== null) throw entryDeleted(row);
}
