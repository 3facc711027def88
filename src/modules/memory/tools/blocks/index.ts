export { blockTools } from "./block-tools.ts";
export type { BlockServices } from "./services.ts";
