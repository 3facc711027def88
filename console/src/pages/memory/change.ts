import type { MemoryDetail } from "../../../../src/server/console/api/index.ts";

/** What agents may do with an entry, from the strictest to the most permissive. */
export const memoryPermissions = ["read_only", "partner", "human", "append", "read_write", "admin"] as const;

/** What the parts of the page need to change the entry. */
export interface Change {
  readonly entry: MemoryDetail["entry"];
  /** Empty: calls that name no agent. */
  readonly agent: string;
  /** The entry was changed, here or elsewhere. */
  readonly reload: () => void;
}

/** The body of a change of what is shown. */
export function toChange({ entry, agent }: Change): { readonly revision: number; readonly agent?: string } {
  return { revision: entry.revision, ...(agent !== "" && { agent }) };
}
