import type { Generated } from "kysely";

/** Something that entries of a scope are about. */
export interface GraphNodeRow {
  readonly id: string;
  readonly scope: string;
  /** Its name, as names are compared. */
  readonly folded: string;
  readonly type: string;
  readonly name: string;
}

/** One way to find a node: by a whole name, where `word` is all of it, or by one word of the name. */
export interface GraphNameRow {
  readonly scope: string;
  readonly word: string;
  readonly folded: string;
  readonly node_id: string;
  /** `word` from its end: a slip in its beginning is found by this. */
  readonly backwards: string;
}

/** That an entry calls a node by a name. */
export interface GraphMentionRow {
  readonly node_id: string;
  readonly folded: string;
  readonly entry_id: string;
  readonly name: string;
  readonly said_at: number;
}

export interface GraphEdgeRow {
  readonly id: Generated<number>;
  readonly source: string;
  readonly target: string;
  readonly relation: string;
  /** How many entries say so, the deleted ones too. */
  readonly weight: number;
}

/** That an entry says an edge. */
export interface GraphStatementRow {
  readonly edge_id: number;
  readonly entry_id: string;
  readonly valid_from: number | null;
  readonly valid_to: number | null;
  readonly said_at: number;
}
