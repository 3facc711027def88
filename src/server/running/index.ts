export { askAsOwner, ownerConsolePath } from "./owner-proof.ts";
export { describeHaftAt, endServing, listServing, recordServing, serveLog } from "./serving.ts";
export type { Serving } from "./serving-identity.ts";
