import { z } from "zod";
import { entryLimits } from "../../store/entry-limits.ts";

/** The categories of memories. */
export const categories = ["general", "preference", "fact", "reminder", "note"] as const;

/**
 * The most characters of one memory, and of all that one call recalls: within what an output shows, so one
 * that is recalled alone is whole.
 */
export const mostContentChars = 18_000;

export const tags: z.ZodArray<z.ZodString> = z.array(z.string().trim().min(1).max(60)).max(20);

/** A name of what memories are about. */
export const entityName: z.ZodString = z.string().trim().min(1).max(entryLimits.word);
