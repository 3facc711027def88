export { strayEntries, strayPins } from "./stray-entries.ts";
export { findWhereabouts, nearestUsable, type Whereabouts } from "./whereabouts.ts";
