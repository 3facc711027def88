import { showInvisible } from "../../base/index.ts";
import type { Effect } from "../../kernel/index.ts";
import { type MemoryGate, memoryGate, type MemoryOperation } from "./access.ts";
import { type MemoryContext, memoryKeyOf, memoryScopeOf, memoryTarget } from "./memory-caller.ts";
import type { MemoryEntry } from "./memory-entry.ts";
import type { MemoryStore } from "./memory-store.ts";

/** What a call wants to do with one entry. */
export interface MemoryWish {
  /** An id or a label. Absent: a new entry without a label. */
  readonly key?: string | undefined;
  /** `create`: only where nothing has that label yet. */
  readonly operation: MemoryOperation | "create";
  /**
   * What it is done for. `move`: what the entry says is kept elsewhere, so it counts as a change whatever it needs.
   * `share`: another scope would read it, which a person has to agree to.
   */
  readonly as?: "move" | "share";
}

/**
 * What a call would do to memory, for a tool's `effects`. What wants consent lies outside the bounds of the call, so
 * that the executor asks. Where one wish is denied the call only looks and is refused: nobody is asked about it, and
 * {@link Memory} lets it change nothing, should that be allowed meanwhile.
 */
export async function memoryEffects(
  store: Pick<MemoryStore, "get">,
  context: MemoryContext,
  wishes: readonly MemoryWish[],
): Promise<readonly Effect[]> {
  const scope = memoryScopeOf(context);
  const foreseen: Foreseen[] = [];
  for (const wish of wishes) {
    const entry = wish.key === undefined ? undefined : await store.get(scope, wish.key);
    const isThere = entry !== undefined && entry.deletedAt === undefined;
    foreseen.push(isThere ? foresee(entry, scope, wish) : foreseeNew(wish));
  }
  if (foreseen.every((one) => one !== "denied")) return foreseen;
  return wishes.map(({ key }) => ({ kind: "read", target: targetOf(key), within: true }));
}

type Foreseen = Effect | "denied";

function targetOf(key: string | undefined): string {
  return key === undefined ? "memory" : memoryTarget(key);
}

/** Of an entry that is not there: it is made, or its absence is told of. */
function foreseeNew({ key, operation }: MemoryWish): Effect {
  const looks = operation === "read" || operation === "delete";
  return { kind: looks ? "read" : "write", target: targetOf(key), within: true };
}

function foresee(entry: MemoryEntry, scope: string, { operation, as }: MemoryWish): Foreseen {
  if (operation === "create") return "denied";
  const target = memoryTarget(memoryKeyOf(entry, scope));
  if (as === "share") {
    if (entry.scope !== scope) return "denied";
    return { kind: "write", target, within: false, asks: shareReason };
  }
  const gate = entryGate(entry, scope, operation);
  if (gate === "deny") return "denied";
  if (gate === "consent") return { kind: "write", target, within: false, asks: consentReason(entry) };
  if (as === "move") return { kind: "write", target, within: true };
  const kind = operation === "read" || operation === "delete" ? operation : "write";
  return { kind, target, within: true };
}

export const shareReason = "another agent would read it, which a person has to agree to";

/** The gate of an entry for a scope. What the system alone writes, and what is another's to delete, is denied. */
export function entryGate(entry: MemoryEntry, scope: string, operation: MemoryOperation): MemoryGate {
  if (operation !== "read" && entry.tier === "log") return "deny";
  if (operation === "delete" && entry.scope !== scope) return "deny";
  return memoryGate(entry.permission, operation);
}

export function consentReason({ label, id, permission }: MemoryEntry): string {
  return `"${showInvisible(label ?? id)}" is changed only if a person agrees (its permission is ${permission})`;
}
