import type { ToolAnnotations } from "../../kernel/index.ts";

/** What is true of every tool that only computes. */
export const computing: ToolAnnotations = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
};
