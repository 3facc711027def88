import type { Generated } from "kysely";

export interface MemoryScopeRow {
  readonly id: Generated<number>;
  readonly scope: string;
  readonly entries: number;
  readonly words: number;
}

export interface MemoryWordRow {
  readonly scope_id: number;
  readonly word: string;
  readonly entry_seq: number;
  readonly counts: number;
}

export interface MemoryNameRow {
  readonly scope_id: number;
  readonly name: string;
  readonly entry_seq: number;
  readonly backwards: string;
}
