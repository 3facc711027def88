import { z } from "zod";
import type { Memory } from "../../store/memory.ts";
import type { MemoryFilter, MemoryHits, MemorySearch } from "../../store/memory-store.ts";

const domains = ["archival_memory", "conversations", "all"] as const;
export type Domain = (typeof domains)[number];

export const domain: z.ZodEnum<{ [Name in Domain]: Name }> = z.enum(domains);

/** How many results. */
export const limit: z.ZodInt = z.int().min(1).max(100);

/** The filter for a search of a domain. A turn of a conversation comes with those next to it. */
export function toFilter(where: Domain): MemoryFilter & Pick<MemorySearch, "window"> {
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

/** Explains an empty search by the lack of any recorded conversation, instead of its filters. */
export async function explainNoConversations(
  memory: Pick<Memory, "listBlocks">,
  where: Domain,
  hits: MemoryHits,
): Promise<MemoryHits> {
  if (where !== "conversations" || hits.hits.length > 0) return hits;
  const { entries } = await memory.listBlocks({ kinds: ["message"], limit: 1 });
  if (entries.length > 0) return hits;
  return { ...hits, note: "No conversation has been recorded here yet, so there is none to search" };
}
