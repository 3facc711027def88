export { addFacts } from "./add-facts.ts";
export { connect } from "./connect.ts";
export { explore } from "./explore.ts";
export { findNodes } from "./find-nodes.ts";
export { forgetFacts } from "./forget-facts.ts";
export { readEntities, readMentions } from "./read-nodes.ts";
