import { type Clock, getErrorCode, systemClock } from "../../../base/index.ts";
import type { Trust } from "../../../kernel/index.ts";
import { stricterPermission } from "./access.ts";
import { MemoryError } from "./errors.ts";
import type { MemoryCaller } from "./memory-caller.ts";
import { operationToSupersede, shareReason } from "./memory-effects.ts";
import type {
  MemoryEntry,
  MemoryPermission,
  MemoryShare,
  MemoryTier,
  MemoryVersion,
  NewMemoryEntry,
} from "./memory-entry.ts";
import { memoryPermissions } from "./memory-entry.ts";
import { MemoryGuard, type PlannedEdits, refusal } from "./memory-guard.ts";
import {
  type ArchivedBlock,
  archive,
  freeLabel,
  type LoadedBlock,
  load,
  type SwappedBlocks,
  swap,
} from "./memory-moves.ts";
import type {
  ChangedFacts,
  MemoryEdit,
  MemoryHits,
  MemoryListing,
  MemoryPage,
  MemorySearch,
  MemoryStore,
} from "./memory-store.ts";
import { replaceAll } from "./replace-text.ts";
import { stricterTrust } from "./trust.ts";

/** Facts beside where a block is kept, who may change it and what tells it right, which have methods of their own. */
export type DescribedFacts = Omit<ChangedFacts, "tier" | "permission" | "pinned" | "supersededBy">;

/** A text that was replaced wherever it occurred. */
export interface ReplacedText {
  readonly entry: MemoryEntry;
  /** How often it occurred. */
  readonly count: number;
}

/** An entry that another one tells right. */
export interface SupersededBlock {
  readonly old: MemoryEntry;
  readonly entry: MemoryEntry;
}

/** Entries that another one tells right, in the order of their keys. */
export interface SupersededBlocks {
  readonly old: readonly MemoryEntry[];
  readonly entry: MemoryEntry;
}

const supersede = "supersede";

/**
 * Memory as one caller may use it. A `key` is an id or a label. Permissions and shares are checked before the first
 * change, and each change is whole. Where somebody else changed the entry meanwhile, it is read and checked again.
 *
 * @throws {MemoryError} from all of it. MEMORY_NOT_FOUND names what comes near; MEMORY_DENIED what is never allowed;
 * MEMORY_CONSENT what a person has to say yes to; MEMORY_CHANGED where others kept changing the same entries.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const memory = new Memory(store.memory, { scope: "local", author: { by: "owner:ada" }, owner: true });
 * await memory.createBlock({ kind: "block", label: "tasks", text: "Buy milk." });
 * await memory.appendToBlock("tasks", "Call Bob.");
 * (await memory.getBlock("tasks")).text; // → "Buy milk.\nCall Bob."
 * await memory.undoBlock("tasks");
 * (await memory.getBlock("tasks")).text; // → "Buy milk."
 * ```
 */
export class Memory {
  readonly #guard: MemoryGuard;
  readonly #store: MemoryStore;
  readonly #caller: MemoryCaller;
  readonly #clock: Clock;

  constructor(store: MemoryStore, caller: MemoryCaller, { clock = systemClock }: { clock?: Clock } = {}) {
    this.#guard = new MemoryGuard(store, caller);
    this.#store = store;
    this.#caller = caller;
    this.#clock = clock;
  }

  get scope(): string {
    return this.#caller.scope;
  }

  /** It is trusted no more than its caller. A log is begun by a person, or by the system. */
  async createBlock(entry: NewMemoryEntry): Promise<MemoryEntry> {
    if (entry.tier === "log" && this.#caller.owner !== true)
      throw new MemoryError("MEMORY_DENIED", "Cannot create a log: it is written by the system alone");
    return this.#guard.changeOne(async () => ({ do: "create_block", entry: this.#asTrusted(entry) }));
  }

  /** @throws {MemoryError} MEMORY_NOT_FOUND */
  async getBlock(key: string): Promise<MemoryEntry> {
    return this.#guard.get(key);
  }

  /** Undefined where nothing has this id or label. */
  async findBlock(key: string): Promise<MemoryEntry | undefined> {
    return this.#guard.find(key);
  }

  /** All that the caller sees, its own and what others shared. */
  async listBlocks(listing?: MemoryListing): Promise<MemoryPage> {
    return this.#store.list(this.scope, listing);
  }

  /** Searches all that the caller sees, of every tier. */
  async searchBlocks(search: MemorySearch): Promise<MemoryHits> {
    return this.#store.search(this.scope, search);
  }

  /** Replaces the whole text. */
  async updateBlockText(key: string, text: string): Promise<MemoryEntry> {
    return this.#change(key, "overwrite", "overwrite", (entry) => ({
      do: "update_block_text",
      text,
      ...this.#told(entry),
    }));
  }

  /** Replaces a text wherever it occurs. @throws {MemoryError} MEMORY_TEXT_NOT_FOUND; nothing was replaced. */
  async replaceInBlock(key: string, old: string, text: string): Promise<ReplacedText> {
    let count = 0;
    const entry = await this.#change(key, "overwrite", "replace text in", (found) => {
      const replaced = replaceAll(found, old, text);
      count = replaced.count;
      return { do: "update_block_text", text: replaced.text, ...this.#told(found) };
    });
    return { entry, count };
  }

  /** On a line of its own. */
  async appendToBlock(key: string, text: string): Promise<MemoryEntry> {
    return this.#change(key, "append", "append to", (entry) => ({
      do: "append_to_block",
      text,
      ...this.#told(entry),
    }));
  }

  /**
   * Like {@link appendToBlock}; where nothing is called so, nor nearly so, a block of that label is created.
   *
   * @param known what a block of this label is when it is created; a label with a similar name then prevents nothing
   */
  async appendOrCreateBlock(
    label: string,
    text: string,
    known?: Pick<NewMemoryEntry, "title" | "tier">,
  ): Promise<{ entry: MemoryEntry; created: boolean }> {
    try {
      return { entry: await this.appendToBlock(label, text), created: false };
    } catch (error) {
      if (!(error instanceof MemoryError) || error.code !== "MEMORY_NOT_FOUND") throw error;
      const nearest = error.details?.["nearest"];
      if (known === undefined && Array.isArray(nearest) && nearest.length > 0) throw error;
    }
    try {
      return {
        entry: await this.createBlock({ kind: "block", tier: "core", ...known, label, text }),
        created: true,
      };
    } catch (error) {
      if (getErrorCode(error) !== "MEMORY_LABEL_TAKEN") throw error;
      return { entry: await this.appendToBlock(label, text), created: false }; // Another call was faster.
    }
  }

  /** @param archivalLabel `<label>_archived_<ms>` by default; what has it already is replaced, if it may be overwritten */
  async archiveBlock(key: string, archivalLabel?: string): Promise<ArchivedBlock> {
    return archive(this.#guard, key, archivalLabel, this.#clock);
  }

  /** @param newLabel loads a copy and leaves the archival one where it is */
  async loadBlock(key: string, newLabel?: string): Promise<LoadedBlock> {
    return load(this.#guard, key, newLabel);
  }

  /** @param label of the copy that is loaded where the archival one has to stay; `<label>_working` by default */
  async swapBlocks(archiveKey: string, loadKey: string, label?: string): Promise<SwappedBlocks> {
    return swap(this.#guard, archiveKey, loadKey, label);
  }

  /** Puts a block away; {@link restoreBlock} brings it back. */
  async deleteBlock(key: string): Promise<MemoryEntry> {
    return this.#change(key, "delete", "delete", () => ({ do: "delete_block" }));
  }

  /** Erases a block for good, with its history. Only a person does. */
  async eraseBlock(key: string): Promise<MemoryEntry> {
    const guard = this.#guard;
    return guard.changeOne(async () => {
      const entry = await guard.get(key);
      guard.requireOwn(entry, "erase");
      guard.requirePerson(entry, "erase");
      return { do: "erase_block", id: entry.id, revision: entry.revision };
    });
  }

  /** Restores a block by its id. Another than a person restores only what it deleted itself. */
  async restoreBlock(id: string): Promise<MemoryEntry> {
    const guard = this.#guard;
    return guard.changeOne(async () => {
      const entry = await this.#store.get(this.scope, id);
      if (entry === undefined) throw await guard.notFound(id);
      guard.requireOwn(entry, "restore");
      const [last] = await this.#store.history(this.scope, entry.id);
      if (last?.author.by !== this.#caller.author.by) guard.requirePerson(entry, "restore");
      guard.require({ entry, operation: "overwrite", what: "restore" });
      return { do: "restore_block", id: entry.id, revision: entry.revision };
    });
  }

  /** Takes the last change back. It could be one of who may change what: only its admin may. */
  async undoBlock(key: string): Promise<MemoryEntry> {
    return this.#change(key, "delete", "undo a change of", () => ({ do: "undo_block" }));
  }

  /** Makes a change again that {@link undoBlock} took back. */
  async redoBlock(key: string): Promise<MemoryEntry> {
    return this.#change(key, "delete", "redo a change of", () => ({ do: "redo_block" }));
  }

  /** The versions of a block of one's own, the newest first. */
  async blockHistory(key: string): Promise<readonly MemoryVersion[]> {
    const { id } = await this.#guard.get(key);
    return this.#store.history(this.scope, id);
  }

  /** A pinned block stands in every prompt. */
  async setBlockPinned(key: string, pinned: boolean): Promise<MemoryEntry> {
    return this.#setFacts(key, { pinned }, pinned ? "pin" : "unpin");
  }

  /** Out of sight is as gone: archiving needs what deleting does. Loading what is archival needs nothing. */
  async setBlockType(key: string, tier: MemoryTier): Promise<MemoryEntry> {
    const guard = this.#guard;
    const what = `make ${tier}`;
    return guard.changeOne(async () => {
      const entry = await guard.get(key);
      guard.requireOwn(entry, what);
      if (tier === "log" || entry.tier === "log") guard.requirePerson(entry, what);
      const archives = tier === "archival" && entry.tier !== "archival";
      const loads = tier === "working" && entry.tier === "archival";
      if (!loads) guard.require({ entry, operation: archives ? "delete" : "overwrite", what });
      return { do: "set_block_facts", id: entry.id, revision: entry.revision, facts: { tier } };
    });
  }

  /** Only a person says who may change an entry. */
  async setBlockPermission(key: string, permission: MemoryPermission): Promise<MemoryEntry> {
    const guard = this.#guard;
    return guard.changeOne(async () => {
      const entry = await guard.get(key);
      guard.requireOwn(entry, "change the permission of");
      guard.requirePerson(entry, "change the permission of");
      return { do: "set_block_facts", id: entry.id, revision: entry.revision, facts: { permission } };
    });
  }

  /** Title, names, tags, …: sets those that are named; null takes one away. */
  async describeBlock(key: string, facts: DescribedFacts): Promise<MemoryEntry> {
    const { tier: _, permission: __, pinned: ___, supersededBy: ____, ...described } = facts as ChangedFacts;
    return this.#setFacts(key, described, "describe");
  }

  /** Like `supersedeBlocks`, of one. */
  async supersedeBlock(oldKey: string, entry: NewMemoryEntry): Promise<SupersededBlock> {
    const superseded = await this.supersedeBlocks([oldKey], entry);
    return { old: superseded.old[0] as MemoryEntry, entry: superseded.entry };
  }

  /**
   * One entry tells all of the others right. It takes the label over where one of them has the same, and allows no more
   * than the strictest of them, which is its permission by default. What comes from outside supersedes nothing else.
   */
  async supersedeBlocks(oldKeys: readonly string[], entry: NewMemoryEntry): Promise<SupersededBlocks> {
    const guard = this.#guard;
    const entries = await guard.change(async (): Promise<PlannedEdits> => {
      const olds: MemoryEntry[] = [];
      for (const key of oldKeys) olds.push(await guard.get(key));
      const { label, permission, ...rest } = this.#asTrusted(entry);
      for (const old of olds) this.#requireSupersedable(old, rest.trust);
      guard.require(
        ...olds.map((old) => ({ entry: old, operation: operationToSupersede(old, rest), what: supersede })),
      );
      const strictest = olds.map((old) => old.permission).reduce(stricterPermission, "admin");
      const successor = { ...rest, permission: this.#atMost(permission ?? strictest, strictest) };
      const takesLabel = label !== undefined && olds.some((old) => old.label === label);
      const created = label === undefined || takesLabel ? successor : { ...successor, label };
      const edits: MemoryEdit[] = [{ do: "create_block", entry: created }];
      for (const { id, revision, label: had } of olds) {
        const facts = { supersededBy: "#0", ...(takesLabel && had === label && { label: null }) };
        edits.push({ do: "set_block_facts", id, revision, facts });
      }
      if (takesLabel) edits.push({ do: "set_block_facts", id: "#0", facts: { label } });
      return { edits, sources: olds.map(({ id }) => id) };
    });
    const [created, ...rest] = entries as [MemoryEntry, ...MemoryEntry[]];
    return { old: rest.slice(0, oldKeys.length), entry: rest[oldKeys.length] ?? created };
  }

  /**
   * Shares a block with another scope, which then reads it: a person says yes to that. The share permits no
   * more than the entry itself.
   */
  async shareBlock(
    key: string,
    scope: string,
    permission: MemoryPermission = "append",
  ): Promise<MemoryEntry> {
    const guard = this.#guard;
    return guard.changeOne(async () => {
      const entry = await guard.get(key);
      guard.requireOwn(entry, "share");
      if (scope === this.scope)
        throw refusal("MEMORY_INVALID", entry, "share", "it is with its owner already");
      if (memoryPermissions.indexOf(permission) > memoryPermissions.indexOf(entry.permission))
        throw refusal(
          "MEMORY_DENIED",
          entry,
          `share as ${permission}`,
          `its own permission is ${entry.permission}, and nobody gives more than that`,
        );
      guard.requireConsent(entry, "share", shareReason);
      return { do: "share_block", id: entry.id, revision: entry.revision, with: scope, permission };
    });
  }

  /** Ends the share with another scope. */
  async unshareBlock(key: string, scope: string): Promise<MemoryEntry> {
    const guard = this.#guard;
    return guard.changeOne(async () => {
      const entry = await guard.get(key);
      guard.requireOwn(entry, "unshare");
      return { do: "unshare_block", id: entry.id, revision: entry.revision, with: scope };
    });
  }

  /** Who else has it. */
  async blockShares(key: string): Promise<readonly MemoryShare[]> {
    const { id } = await this.#guard.get(key);
    return this.#store.shares(this.scope, id);
  }

  /** What others shared. */
  async listSharedBlocks(listing?: MemoryListing): Promise<MemoryPage> {
    return this.#store.list(this.scope, { ...listing, owned: "shared" });
  }

  /** @throws {MemoryError} MEMORY_INVALID for a block of one's own */
  async getSharedBlock(key: string): Promise<MemoryEntry> {
    const entry = await this.#guard.get(key);
    if (entry.scope !== this.scope) return entry;
    throw refusal(
      "MEMORY_INVALID",
      entry,
      "get the shared block",
      "nobody shared it: it is this scope's own",
    );
  }

  /** Resolves once all that was written survives the loss of power. */
  async persistBlock(key: string): Promise<void> {
    await this.#guard.get(key);
    await this.#store.persist();
  }

  /** @param entry its label is `archival_<ms>` by default */
  async insertArchival(entry: Omit<NewMemoryEntry, "kind" | "tier">): Promise<MemoryEntry> {
    return this.#guard.changeOne(async () => {
      const label = entry.label ?? (await freeLabel(this.#guard, "archival", `_${this.#clock.now()}`));
      const told = this.#asTrusted({ ...entry, kind: "block", tier: "archival", label });
      return { do: "create_block", entry: told };
    });
  }

  /** Searches the archival tier alone. */
  async searchArchival(search: MemorySearch): Promise<MemoryHits> {
    return this.#store.search(this.scope, { ...search, tiers: ["archival"] });
  }

  /** @throws {MemoryError} MEMORY_INVALID for a block of another tier */
  async deleteArchival(key: string): Promise<MemoryEntry> {
    return this.#change(key, "delete", "delete", (entry) => {
      requireArchivalTier(entry, "delete");
      return { do: "delete_block" };
    });
  }

  /** @throws {MemoryError} MEMORY_INVALID for a block of another tier */
  async appendToArchival(key: string, text: string): Promise<MemoryEntry> {
    return this.#change(key, "append", "append to", (entry) => {
      requireArchivalTier(entry, "append to");
      return { do: "append_to_block", text, ...this.#told(entry) };
    });
  }

  async #setFacts(key: string, facts: ChangedFacts, what: string): Promise<MemoryEntry> {
    return this.#change(key, "overwrite", what, (entry) => {
      this.#guard.requireOwn(entry, what);
      return { do: "set_block_facts", facts, ...this.#told(entry) };
    });
  }

  #change(
    key: string,
    operation: "append" | "overwrite" | "delete",
    what: string,
    edit: (entry: MemoryEntry) => EditOfOne,
  ): Promise<MemoryEntry> {
    const guard = this.#guard;
    return guard.changeOne(async () => {
      const entry = await guard.get(key);
      guard.require({ entry, operation, what });
      return { ...edit(entry), id: entry.id, revision: entry.revision };
    });
  }

  #requireSupersedable(old: MemoryEntry, trust: Trust | undefined): void {
    this.#guard.requireOwn(old, supersede);
    if (trust === "untrusted" && old.trust === "trusted" && this.#caller.owner !== true)
      throw refusal(
        "MEMORY_DENIED",
        old,
        supersede,
        "what takes its place comes from outside, and it does not",
      );
  }

  #atMost(permission: MemoryPermission, most: MemoryPermission): MemoryPermission {
    return this.#caller.owner === true ? permission : stricterPermission(permission, most);
  }

  #asTrusted(entry: NewMemoryEntry): NewMemoryEntry {
    return { ...entry, trust: stricterTrust(entry.trust, this.#caller.trust) };
  }

  /** What comes from outside makes all of the entry so. */
  #told({ trust }: MemoryEntry) {
    return { trust: stricterTrust(trust, this.#caller.trust) };
  }
}

/** An edit that does not say yet what it is of. */
type EditOfOne = Unaimed<Exclude<MemoryEdit, { do: "create_block" }>>;
type Unaimed<Edit> = Edit extends unknown ? Omit<Edit, "id" | "revision"> : never;

function requireArchivalTier(entry: MemoryEntry, what: string): void {
  if (entry.tier === "archival") return;
  throw refusal("MEMORY_INVALID", entry, what, `it is ${entry.tier}, not archival`);
}
