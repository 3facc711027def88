import { z } from "zod";
import type { ToolAnnotations } from "../../../kernel/index.ts";

/** The handle, for clients whose list of tools stays as it is. */
export const handleParameter: z.ZodOptional<z.ZodString> = z
  .string()
  .max(64_000)
  .optional()
  .describe('Where your list of tools never changes: what load_tools gave last, "" at first');

export const readOnly: ToolAnnotations = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
};
