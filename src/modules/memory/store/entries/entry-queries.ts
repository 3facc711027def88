export { reindexScope } from "../reindex-scope.ts";
export { EntryEdits } from "./entry-edits.ts";
export { toEntry } from "./entry-row.ts";
export { findById, findByLabel } from "./find-entries.ts";
export { listEntries } from "./list-entries.ts";
export { readShares } from "./shares.ts";
export { readHistory } from "./versions.ts";
