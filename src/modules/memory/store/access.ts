import { type MemoryPermission, memoryPermissions } from "./memory-entry.ts";

/** What can be done to an entry. */
export const memoryOperations = ["read", "append", "overwrite", "delete"] as const;
export type MemoryOperation = (typeof memoryOperations)[number];

/** `consent`: once a person has said yes to this change. */
export type MemoryGate = "allow" | "consent" | "deny";

/** What each permission lets each operation do. */
const table: Readonly<Record<MemoryPermission, Readonly<Record<MemoryOperation, MemoryGate>>>> = {
  read_only: { read: "allow", append: "deny", overwrite: "deny", delete: "deny" },
  partner: { read: "allow", append: "consent", overwrite: "consent", delete: "deny" },
  human: { read: "allow", append: "consent", overwrite: "consent", delete: "deny" },
  append: { read: "allow", append: "allow", overwrite: "deny", delete: "deny" },
  read_write: { read: "allow", append: "allow", overwrite: "allow", delete: "deny" },
  admin: { read: "allow", append: "allow", overwrite: "allow", delete: "allow" },
};

/** Whether an entry of this permission lets a caller do that: at once, after a person has said yes, or never. */
export function memoryGate(permission: MemoryPermission, operation: MemoryOperation): MemoryGate {
  return table[permission][operation];
}

/** The stricter of an entry's permission and that of its share. */
export function stricterPermission(one: MemoryPermission, other: MemoryPermission): MemoryPermission {
  return memoryPermissions.indexOf(one) < memoryPermissions.indexOf(other) ? one : other;
}
