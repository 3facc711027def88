import { z } from "zod";

export const memoryFilePath: z.ZodString = z
  .string()
  .min(1)
  .describe("Path in the memory folder, such as facts/user.md or episodes/2026-05-04-move.md");
