import type { Trust } from "../../../kernel/index.ts";

/** What is made of both is trusted only if both are. */
export function stricterTrust(one: Trust | undefined, other: Trust | undefined): Trust {
  return one === "untrusted" || other === "untrusted" ? "untrusted" : "trusted";
}
