import { showInvisible } from "../../../base/index.ts";
import type { Effect } from "../../../kernel/index.ts";
import { type MemoryGate, type MemoryOperation, memoryGate } from "./access.ts";
import { findMemoryScope, formatMemoryKey, type MemoryContext, memoryTarget } from "./memory-caller.ts";
import type { MemoryEntry, MemoryFacts } from "./memory-entry.ts";
import type { MemoryStore } from "./memory-store.ts";

/** What a call wants to do with one entry. */
export interface MemoryWish {
  /** An id or a label. Absent: a new entry without a label. */
  readonly key?: string | undefined;
  /** `create`: only where nothing has that label yet. */
  readonly operation: MemoryOperation | "create";
  /**
   * What it is done for. `move`: it changes where the entry is kept or who has it, so it counts as a change, whatever
   * that needs. `share`: another scope would read it, which a person has to agree to. `supersede`: something that can
   * only be searched takes its place. `restore`: it was deleted, and would be there again.
   */
  readonly as?: "move" | "share" | "supersede" | "restore";
}

/**
 * What a call would do to memory, for a tool's `effects`. Deleting is a `write`, since it can be taken back. What wants
 * consent lies outside the bounds of the call, so that the executor asks. Where one wish is denied the call only looks
 * and is refused: nobody is asked about it, and {@link Memory} lets it change nothing, should that be allowed meanwhile.
 */
export async function memoryEffects(
  store: Pick<MemoryStore, "get">,
  context: MemoryContext,
  wishes: readonly MemoryWish[],
): Promise<readonly Effect[]> {
  const scope = findMemoryScope(context);
  const foreseen: Foreseen[] = [];
  for (const wish of wishes) {
    const entry = wish.key === undefined ? undefined : await store.get(scope, wish.key);
    const isMeant = entry !== undefined && (entry.deletedAt === undefined || wish.as === "restore");
    foreseen.push(isMeant ? foresee(entry, scope, wish) : foreseeNew(wish));
  }
  if (foreseen.every((one) => one !== "denied")) return foreseen;
  return wishes.map(({ key }) => ({ kind: "read", target: toTarget(key), within: true }));
}

type Foreseen = Effect | "denied";

function toTarget(key: string | undefined): string {
  return key === undefined ? "memory" : memoryTarget(key);
}

/** The effect on an entry that is not there: it is made, or its absence is told. */
function foreseeNew({ key, operation }: MemoryWish): Effect {
  const looks = operation === "read" || operation === "delete";
  return { kind: looks ? "read" : "write", target: toTarget(key), within: true };
}

function foresee(entry: MemoryEntry, scope: string, { operation, as }: MemoryWish): Foreseen {
  if (operation === "create") return "denied";
  const target = memoryTarget(formatMemoryKey(entry, scope));
  if (as === "share") {
    if (entry.scope !== scope) return "denied";
    return { kind: "write", target, within: false, risk: shareReason };
  }
  const gate = entryGate(entry, scope, as === "supersede" ? operationToSupersede(entry) : operation);
  if (gate === "deny") return "denied";
  if (gate === "consent") return { kind: "write", target, within: false, asks: consentReason(entry) };
  return { kind: operation === "read" && as !== "move" ? "read" : "write", target, within: true };
}

export const shareReason = "another agent would read it, which a person has to agree to";

type Sight = Pick<MemoryFacts, "tier" | "pinned">;

/** Out of sight is as gone: where what takes its place is not seen, it needs what deleting does. */
export function operationToSupersede(old: Sight, by: Sight = {}): "overwrite" | "delete" {
  return isInSight(old) && !isInSight(by) ? "delete" : "overwrite";
}

function isInSight({ tier, pinned }: Sight): boolean {
  return tier === "core" || tier === "working" || pinned === true;
}

/** The gate of an entry for a scope. What the system alone writes, and what is another's to delete, is denied. */
export function entryGate(entry: MemoryEntry, scope: string, operation: MemoryOperation): MemoryGate {
  if (operation !== "read" && entry.tier === "log") return "deny";
  if (operation === "delete" && entry.scope !== scope) return "deny";
  return memoryGate(entry.permission, operation);
}

export function consentReason({ label, id, permission }: MemoryEntry): string {
  return `"${showInvisible(label ?? id)}" is changed only if a person agrees (its permission is ${permission})`;
}
