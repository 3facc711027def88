// What is remembered, as its owner looks at it and changes it; loaded by those that show it.
export { findFailedJobs } from "./failed-jobs.ts";
export { type DeletedPage, listDeleted } from "./list-deleted.ts";
export { type Overview, readOverview } from "./overview.ts";
export { findEntry, hasEntries, type OwnMemory, openOwnMemory, ownKinds } from "./own-memory.ts";
