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

export const searchedPath: z.ZodDefault<z.ZodString> = z
  .string()
  .min(1)
  .default(".")
  .describe("File or folder to search, absolute or relative to the working folder.");

export const fileGlob: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe("Only files whose name (or path, with /) fits, for example *.{ts,tsx}.");

export const gitignoreSwitch: z.ZodDefault<z.ZodBoolean> = z
  .boolean()
  .default(true)
  .describe("Leave out what .gitignore and .ignore files name.");
