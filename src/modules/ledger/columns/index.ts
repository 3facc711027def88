export type { IndexProgress, OnIndexProgress } from "./call-columns.ts";
export { CallIndex } from "./call-index.ts";
