export { Agents } from "./agents.ts";
export { type StrayEntry, strayEntries } from "./stray-entries.ts";
export { findWhereabouts, nearestUsable, type Whereabouts } from "./whereabouts.ts";
