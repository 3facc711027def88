import { getErrorCode, nearestNames } from "../../../base/index.ts";
import type { MemoryOperation } from "./access.ts";
import { MemoryError } from "./errors.ts";
import { formatMemoryKey, type MemoryCaller } from "./memory-caller.ts";
import { consentReason, entryGate } from "./memory-effects.ts";
import type { MemoryEntry, MemoryPermission } from "./memory-entry.ts";
import type { MemoryEdit, MemoryStore } from "./memory-store.ts";

/** What is going to be changed, and what it was made of. */
export interface PlannedEdits {
  readonly edits: readonly MemoryEdit[];
  /** Ids of the entries that something new says again. */
  readonly sources?: readonly string[];
}

/** What is to be done with an entry; `what` reads between "Cannot" and its name. */
export interface Need {
  readonly entry: MemoryEntry;
  readonly operation: MemoryOperation;
  readonly what: string;
}

/** Others may change the same entries; past so many times it is they who have to stop. */
const mostAttempts = 8;

/** Reads and changes for one caller: each change is checked on what was read, and holds for that alone. */
export class MemoryGuard {
  readonly store: MemoryStore;
  readonly caller: MemoryCaller;

  constructor(store: MemoryStore, caller: MemoryCaller) {
    this.store = store;
    this.caller = caller;
  }

  get scope(): string {
    return this.caller.scope;
  }

  /** What was deleted, only a person finds. */
  async find(key: string): Promise<MemoryEntry | undefined> {
    const entry = await this.store.get(this.scope, key);
    return entry?.deletedAt === undefined || this.caller.owner === true ? entry : undefined;
  }

  /** @throws {MemoryError} MEMORY_NOT_FOUND */
  async get(key: string): Promise<MemoryEntry> {
    const entry = await this.find(key);
    if (entry !== undefined) return entry;
    throw await this.notFound(key);
  }

  async notFound(key: string): Promise<MemoryError> {
    const near = await this.#nearestLabels(key);
    return new MemoryError(
      "MEMORY_NOT_FOUND",
      near.length === 0
        ? `There is no memory "${key}"; a search finds what there is`
        : `There is no memory "${key}"; did you mean ${near.map((label) => `"${label}"`).join(" or ")}?`,
      { details: { key, nearest: near } },
    );
  }

  /** The scope's own entry with that label: what others shared under it is left alone. */
  async findOwn(label: string): Promise<MemoryEntry | undefined> {
    const entry = await this.store.get(this.scope, label);
    return entry?.scope === this.scope && entry.label === label ? entry : undefined;
  }

  /** @throws {MemoryError} MEMORY_DENIED, MEMORY_CONSENT, MEMORY_NOT_OWNER, MEMORY_CHANGED */
  require(...needs: readonly Need[]): void {
    for (const need of needs) this.#requireGate(need);
    for (const need of needs) this.#requireDeclared(need);
  }

  #requireGate({ entry, operation, what }: Need): void {
    if (operation === "delete") this.requireOwn(entry, what);
    if (operation === "read" || this.caller.owner === true) return;
    const gate = entryGate(entry, this.scope, operation);
    if (gate === "deny") throw refusal("MEMORY_DENIED", entry, what, whyDenied(entry, operation));
    if (gate === "consent") this.requireConsent(entry, what, consentReason(entry));
  }

  /** A call that was decided as one that only looks, since it would have been refused then, changes nothing now. */
  #requireDeclared({ entry, operation, what }: Need): void {
    if (operation === "read" || this.caller.owner === true) return;
    if (this.caller.declares?.(formatMemoryKey(entry, this.scope)) !== false) return;
    const why = "what may be done with it changed since the call was decided; call again";
    throw refusal("MEMORY_CHANGED", entry, what, why);
  }

  /** @throws {MemoryError} MEMORY_CONSENT */
  requireConsent(entry: MemoryEntry, what: string, why: string): void {
    const { caller } = this;
    if (caller.owner === true || caller.consents?.(formatMemoryKey(entry, this.scope)) === true) return;
    throw refusal("MEMORY_CONSENT", entry, what, `${why}, and nobody was asked`);
  }

  /** @throws {MemoryError} MEMORY_NOT_OWNER */
  requireOwn(entry: MemoryEntry, what: string): void {
    if (entry.scope === this.scope) return;
    throw refusal("MEMORY_NOT_OWNER", entry, what, `it is shared by "${entry.scope}", which alone may do so`);
  }

  /** @throws {MemoryError} MEMORY_DENIED */
  requirePerson(entry: MemoryEntry, what: string): void {
    if (this.caller.owner !== true) throw refusal("MEMORY_DENIED", entry, what, "only a person may do so");
  }

  /** Plans anew where another was faster. The edits are to carry the revisions that the plan was made on. */
  async change(plan: () => Promise<PlannedEdits>): Promise<readonly MemoryEntry[]> {
    return inTurn(this.store, this.scope, async () => {
      for (let attempt = 1; ; attempt++) {
        const { edits, sources } = await plan();
        if (this.caller.owner !== true) for (const edit of edits) requireFree(edit);
        const author = sources === undefined ? this.caller.author : { ...this.caller.author, sources };
        try {
          return await this.store.edit(this.scope, edits, author);
        } catch (error) {
          if (getErrorCode(error) !== "MEMORY_CHANGED" || attempt === mostAttempts) throw error;
        }
      }
    });
  }

  async changeOne(plan: () => Promise<MemoryEdit>): Promise<MemoryEntry> {
    const entries = await this.change(async () => ({ edits: [await plan()] }));
    return entries[0] as MemoryEntry;
  }

  async #nearestLabels(key: string): Promise<string[]> {
    const pages = await Promise.all([
      this.store.list(this.scope, { tiers: ["core", "working"], limit: 100 }),
      this.store.list(this.scope, { labelPrefix: key.slice(0, 2), order: "label", limit: 100 }),
    ]);
    const entries = pages.flatMap((page) => page.entries);
    // A label that somebody outside could have chosen is not put into a message.
    const labels = entries.flatMap(({ label, trust }) => (trust === "trusted" ? (label ?? []) : []));
    return nearestNames(key, new Set(labels));
  }
}

/**
 * The labels by which haft's own entries are known again: stretches of memory files, and how far work went.
 */
const ownLabels = ["file:", "observed/"];

/** An entry with such a label would be in the way of what is to be kept under it. */
function requireFree(edit: MemoryEdit): void {
  const { label } =
    edit.do === "create_block"
      ? edit.entry
      : edit.do === "set_block_facts"
        ? edit.facts
        : { label: undefined };
  const own = ownLabels.find((prefix) => label?.startsWith(prefix));
  if (own === undefined) return;
  throw new MemoryError(
    "MEMORY_LABEL",
    `Cannot use the label "${label}": what begins with "${own}" is kept by haft itself; choose another`,
    { details: { label } },
  );
}

export function formatName({ label, id }: Pick<MemoryEntry, "label" | "id">): string {
  return label ?? id;
}

export function refusal(
  code: "MEMORY_DENIED" | "MEMORY_CONSENT" | "MEMORY_NOT_OWNER" | "MEMORY_CHANGED" | "MEMORY_INVALID",
  entry: MemoryEntry,
  what: string,
  why: string,
): MemoryError {
  const { id, permission } = entry;
  const name = shownName(entry);
  return new MemoryError(code, `Cannot ${what} "${name}": ${why}`, {
    details: { id, ...(name !== id && { label: name }), permission },
  });
}

/** The entry's name for messages. A label that somebody outside could have chosen is not put into one. */
export function shownName({ id, label, trust }: Pick<MemoryEntry, "id" | "label" | "trust">): string {
  return trust === "untrusted" ? id : (label ?? id);
}

const allowedInstead: Readonly<Record<MemoryPermission, string>> = {
  read_only: "it can only be read",
  partner: "a person who agrees lets it be changed, not deleted",
  human: "a person who agrees lets it be changed, not deleted",
  append: "it can only be added to",
  read_write: "it can be changed, not deleted or taken away",
  admin: "it can be changed and deleted",
};

function whyDenied({ tier, permission }: MemoryEntry, operation: MemoryOperation): string {
  if (tier === "log") return "a log is written by the system alone";
  const needs = operation === "delete" ? "; that needs admin, which a person can give" : "";
  return `its permission is ${permission}: ${allowedInstead[permission]}${needs}`;
}

const turns = new WeakMap<MemoryStore, Map<string, Promise<void>>>();

/** One change of a scope after the other: those of one process don't spoil each other's plans. */
async function inTurn<Result>(
  store: MemoryStore,
  scope: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let tails = turns.get(store);
  if (tails === undefined) turns.set(store, (tails = new Map()));
  const result = (tails.get(scope) ?? Promise.resolve()).then(work);
  const tail = result.then(
    () => {},
    () => {},
  );
  tails.set(scope, tail);
  try {
    return await result;
  } finally {
    if (tails.get(scope) === tail) tails.delete(scope);
  }
}
