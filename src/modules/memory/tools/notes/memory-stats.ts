import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import type { Memory } from "../../store/memory.ts";
import { memoryKinds, memoryTiers } from "../../store/memory-entry.ts";
import { openMemory } from "../memory-of.ts";
import { readsMemory } from "../reads-memory.ts";
import { chooseProject, notesPrefix, profileLabel, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId });

export function memoryStatsTool(services: NoteServices): Tool {
  return defineTool({
    name: "memory_stats",
    title: "Show what memory holds",
    description:
      "Count what is remembered: of the project, by kind and by tier, and what the search does not know by meaning yet.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: readsMemory,
    async execute({ project_id }, context) {
      const project = chooseProject(services, project_id);
      const memory = openMemory(services, context);
      const count = async (listing: Parameters<Memory["listBlocks"]>[0]) =>
        (await memory.listBlocks({ ...listing, limit: 1 })).total;
      const kinds = Object.fromEntries(
        await Promise.all(memoryKinds.map(async (kind) => [kind, await count({ kinds: [kind] })] as const)),
      );
      const tiers = Object.fromEntries(
        await Promise.all(memoryTiers.map(async (tier) => [tier, await count({ tiers: [tier] })] as const)),
      );
      const unembedded = await services.upkeep?.unembedded(memory.scope);
      return {
        project,
        notes: await count({ kinds: ["note"], labelPrefix: notesPrefix(project) }),
        has_profile: (await memory.findBlock(profileLabel(project))) !== undefined,
        total: await count({}),
        kinds,
        tiers,
        index: {
          words: "kept with every change",
          meaning: showProgress(unembedded),
        },
      };
    },
  });
}

function showProgress(unembedded: number | undefined): string {
  if (unembedded === undefined) return "not in use";
  return unembedded === 0 ? "up to date" : `${unembedded} to go`;
}
