export { CallIndex } from "./call-index.ts";
