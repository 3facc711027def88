export { chainTools } from "./chain-tools.ts";
