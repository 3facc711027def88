import type { MemoryEdit, MemoryStore } from "../store/memory-store.ts";
import { ownEntries } from "../store/own-pages.ts";
import type { MemoryWork } from "./memory-work.ts";

const dayMs = 86_400_000;
const mostAtOnce = 500;

/** Puts observations away that ended long ago; they can be restored. What has ended is not found anyway. */
export async function sweepExpired(
  { store, limits, clock }: Pick<MemoryWork, "limits" | "clock"> & { readonly store: MemoryStore },
  scope: string,
): Promise<number> {
  const before = clock.now() - limits.expiredDays * dayMs;
  const edits: MemoryEdit[] = [];
  const observations = ownEntries(store, scope, { kinds: ["observation"], with: ["superseded", "invalid"] });
  for await (const { id, revision, validTo } of observations)
    if (validTo !== undefined && validTo < before) edits.push({ do: "delete_block", id, revision });
  for (let at = 0; at < edits.length; at += mostAtOnce)
    await store.edit(scope, edits.slice(at, at + mostAtOnce), { by: "sweeper" });
  return edits.length;
}
