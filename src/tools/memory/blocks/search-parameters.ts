import { z } from "zod";
import type { MemoryFilter, MemorySearch } from "../../../store/index.ts";

const domains = ["archival_memory", "conversations", "all"] as const;
export type Domain = (typeof domains)[number];

export const domain: z.ZodEnum<{ [Name in Domain]: Name }> = z.enum(domains);

/** How many results. */
export const limit: z.ZodInt = z.int().min(1).max(100);

/** Where a search of a domain looks. A turn of a conversation comes with those next to it. */
export function filterOf(where: Domain): MemoryFilter & Pick<MemorySearch, "window"> {
  switch (where) {
    case "archival_memory":
      return { tiers: ["archival"], exceptKinds: ["message"] };
    case "conversations":
      return { kinds: ["message"], window: 1 };
    case "all":
      return { window: 1 };
    default:
      return where satisfies never;
  }
}
