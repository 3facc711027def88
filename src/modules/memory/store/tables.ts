import type { MemoryEntryTable, MemoryShareRow, MemoryVersionRow } from "./entries/entry-tables.ts";
import type {
  GraphEdgeRow,
  GraphMentionRow,
  GraphNameRow,
  GraphNodeRow,
  GraphStatementRow,
} from "./graph/graph-tables.ts";
import type { MemoryNameRow, MemoryScopeRow, MemoryWordRow } from "./search/search-tables.ts";
import type {
  MemoryCodeRow,
  MemoryCodeSetRow,
  MemoryModelRow,
  MemoryTextRow,
  MemoryVectorRow,
} from "./vectors/vector-tables.ts";

/** The tables of memories, as queries see them. Numbers that mean yes or no are 1 and 0; times are Unix ms. */
export interface Tables {
  readonly memory_entry: MemoryEntryTable;
  readonly memory_version: MemoryVersionRow;
  readonly memory_share: MemoryShareRow;
  readonly memory_scope: MemoryScopeRow;
  readonly memory_word: MemoryWordRow;
  readonly memory_name: MemoryNameRow;
  readonly memory_text: MemoryTextRow;
  readonly memory_model: MemoryModelRow;
  readonly memory_vector: MemoryVectorRow;
  readonly memory_code_set: MemoryCodeSetRow;
  readonly memory_code: MemoryCodeRow;
  readonly graph_node: GraphNodeRow;
  readonly graph_name: GraphNameRow;
  readonly graph_mention: GraphMentionRow;
  readonly graph_edge: GraphEdgeRow;
  readonly graph_statement: GraphStatementRow;
}
