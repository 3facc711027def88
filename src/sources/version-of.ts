import { createHash } from "node:crypto";

/** The version of a tool that is defined by this text: approvals and grants hold for one. */
export function makeVersion(definition: string): string {
  return createHash("sha256").update(definition).digest("hex").slice(0, 16);
}
