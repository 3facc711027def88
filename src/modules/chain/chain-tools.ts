import type { Tool } from "../../kernel/index.ts";
import { runChain } from "./run-chain.ts";

/** The tools that make calls of several others one call. */
export function chainTools(): Tool[] {
  return [runChain()];
}
