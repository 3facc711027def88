import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import type { Memory } from "../../store/memory.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { openMemory } from "../memory-of.ts";
import { digested, requireDigest, toDigestSource } from "./digest-step.ts";
import { NoteError } from "./errors.ts";
import { profileEffects, type WrittenProfile, writeProfile } from "./profile.ts";
import { chooseProject, projectId, projectTag } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId });
/** What a model reads at once. */
const maxSourceChars = 100_000;
const maxSources = 500;

export function regenerateProfileTool(services: NoteServices): Tool {
  return defineTool({
    name: "regenerate_profile",
    title: "Make a project's profile anew",
    description:
      "Have a model write the profile of a project anew, of its notes and of what else is remembered of it. What the profile said before is in its history.",
    category: "memory",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "view the profile of the project",
    timeoutMs: 120_000,
    effects: ({ project_id }, context) =>
      profileEffects(services, chooseProject(services, project_id), context),
    async execute({ project_id }, context): Promise<WrittenProfile & { readonly sources: number }> {
      const project = chooseProject(services, project_id);
      const what = `make the profile of "${project}" anew`;
      const digest = requireDigest(services, what, "write it yourself with edit_project_profile");
      const memory = openMemory(services, context);
      const sources = await listSources(memory, project);
      if (sources.length === 0)
        throw new NoteError(
          "NOTE_NOT_FOUND",
          `Cannot ${what}: nothing is remembered of it; write_note keeps something, or write it yourself with edit_project_profile`,
          { details: { project } },
        );
      const { signal } = context;
      const text = await digest.regenerate({ project, sources: sources.map(toDigestSource), signal });
      const written = await writeProfile(services, project, digested(text, what), context, { sources });
      return { ...written, sources: sources.length };
    },
  });
}

/** What belongs to the project, as much of the newest as is read at once; the oldest first. */
async function listSources(memory: Memory, project: string): Promise<MemoryEntry[]> {
  const { entries } = await memory.listBlocks({
    tags: [projectTag(project)],
    exceptKinds: ["profile"],
    limit: maxSources,
  });
  let chars = 0;
  return entries.filter(({ text }) => (chars += text.length) <= maxSourceChars).sort((a, b) => a.at - b.at);
}
