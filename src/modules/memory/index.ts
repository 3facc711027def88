export { MemoryImportError, type MemoryImportErrorCode, memoryImportErrorCodes } from "./portable/errors.ts";
export { allEntries, formatEntries, memoryHead } from "./portable/export-memory.ts";
export {
  type ImportCounts,
  type ImportOptions,
  type ImportPlan,
  importMemory,
  planImport,
} from "./portable/import-memory.ts";
export {
  type MemoryFormat,
  memoryFormats,
  type PortableEntry,
} from "./portable/portable-entry.ts";
export { type ReadOptions, readPortable } from "./portable/read-portable.ts";
export {
  memoryOperations,
  stricterPermission,
} from "./store/access.ts";
export { EntryChecks } from "./store/entries/checked-entry.ts";
export { entryChanged, entryNotFound, labelTaken } from "./store/entries/refusals.ts";
export { entryLimits } from "./store/entry-limits.ts";
export { MemoryError, type MemoryErrorCode, memoryErrorCodes } from "./store/errors.ts";
export {
  type Connection,
  type ConnectOptions,
  type EdgeSource,
  type EntityType,
  type ExploreOptions,
  entityTypes,
  type FindOptions,
  type FoundNode,
  type GraphEdge,
  type GraphFacts,
  type GraphNode,
  type GraphTime,
  type MemoryGraph,
  type Mention,
  type NamedEntity,
  type NameMatch,
  type Neighbour,
  type Neighbourhood,
  type NewGraphEdge,
  type NewGraphNode,
  type NodeName,
  nameMatches,
} from "./store/graph/memory-graph.ts";
export { SqlGraph } from "./store/graph/sql-graph.ts";
export { saysTheSame } from "./store/likeness.ts";
export {
  type DescribedFacts,
  Memory,
  type ReplacedText,
  type SupersededBlock,
  type SupersededBlocks,
} from "./store/memory.ts";
export {
  findMemoryScope,
  type MemoryCaller,
  type MemoryContext,
  toMemoryCaller,
} from "./store/memory-caller.ts";
export {
  type MemoryAuthor,
  type MemoryEntry,
  type MemoryFacts,
  type MemoryKind,
  type MemoryPermission,
  type MemoryPlace,
  type MemoryShare,
  type MemoryTier,
  type MemoryVersion,
  memoryKinds,
  memoryPermissions,
  memoryTiers,
  type NewMemoryEntry,
} from "./store/memory-entry.ts";
export type { ArchivedBlock, LoadedBlock, SwappedBlocks } from "./store/memory-moves.ts";
export {
  type ChangedFacts,
  type EditedEntry,
  type FormerEntry,
  type MemoryEdit,
  type MemoryFilter,
  type MemoryHit,
  type MemoryHits,
  type MemoryListing,
  type MemoryMatch,
  type MemoryPage,
  type MemorySearch,
  type MemoryStore,
  memoryMatches,
  type ToldEntry,
} from "./store/memory-store.ts";
export { pathPart } from "./store/path-part.ts";
export { type ApplyOptions, applyEdit, type ChangingEdit } from "./store/plain/apply-edit.ts";
export {
  type Keeping,
  type KeptEntry,
  type KeptVersion,
  keepEntry,
  keptVersionNumbers,
  listHistory,
  makeKeptVersion,
  seenBy,
} from "./store/plain/kept-entry.ts";
export { listKept } from "./store/plain/list-kept.ts";
export { searchKept } from "./store/plain/search-kept.ts";
export { recordTurns, type Turn, toMessage } from "./store/record-turns.ts";
export { SqlMemory } from "./store/sql-memory.ts";
export { toUnit } from "./store/vectors/small-vector.ts";
