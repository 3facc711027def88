import { z } from "zod";

/** A label, or the id of an entry that has none. */
export const label: z.ZodString = z.string().min(1).max(200);

export const content: z.ZodString = z.string().min(1).max(1_000_000);

export const limit: z.ZodInt = z.int().min(1).max(100);
