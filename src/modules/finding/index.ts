export { SqlSearchIndex } from "./store/sql-search-index.ts";
export { SqlToolUsage } from "./store/sql-tool-usage.ts";
export { SqlVectors } from "./store/sql-vectors.ts";
