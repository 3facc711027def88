export { Agents } from "./agents.ts";
export { type StrayEntry, strayEntries, strayPins } from "./stray-entries.ts";
export { findWhereabouts, nearestUsable, type Whereabouts } from "./whereabouts.ts";
