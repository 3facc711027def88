import { z } from "zod";

/** Parameters that several tools share, said the same way. */
export const filePath: z.ZodString = z
  .string()
  .min(1)
  .describe("Absolute, or relative to the working folder.");

export const offsetLines: z.ZodDefault<z.ZodInt> = z
  .int()
  .min(0)
  .default(0)
  .describe("Lines to skip, from 0.");

export const gitignoreSwitch: z.ZodDefault<z.ZodBoolean> = z
  .boolean()
  .default(true)
  .describe("Leave out what .gitignore and .ignore files name.");
