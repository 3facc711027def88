import type { Effect } from "../../../kernel/index.ts";

/**
 * The `effects` of a tool that shows what is remembered: what it shows is private then, also where data from
 * outside said what to look for.
 */
export function readsMemory(): readonly Effect[] {
  return [{ kind: "read", target: "memory", within: true }];
}
