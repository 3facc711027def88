import { z } from "zod";
import { entryLimits } from "../store/entry-limits.ts";

/** A label, or the id of an entry. */
export const entryKey: z.ZodString = z.string().min(1).max(entryLimits.label);

/** A text as long as an entry takes. */
export const entryText: z.ZodString = z.string().min(1).max(entryLimits.text);

/** A query as long as a search reads. */
export const query: z.ZodString = z.string().trim().min(1).max(2000);

export const wordsToLookFor: z.ZodString = query.describe(
  "What to look for, in plain words; a phrase such as last week counts",
);

/** A day, which begins at midnight UTC, or a moment. */
export const time: z.ZodType<string> = z.iso.datetime({ offset: true, local: true }).or(z.iso.date());

export const fromThenOn: z.ZodOptional<z.ZodType<string>> = time
  .optional()
  .describe("Only what is from then on: 2026-05-08, or 2026-05-08T10:00:00Z");

export const untilThen: z.ZodOptional<z.ZodType<string>> = time
  .optional()
  .describe("Only what is from before");
