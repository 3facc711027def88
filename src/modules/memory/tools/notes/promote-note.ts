import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { openMemory } from "../memory-of.ts";
import { digested, requireDigest, toDigestSource } from "./digest-step.ts";
import { findNote } from "./find-note.ts";
import { profileEffects, type WrittenProfile, writeProfile } from "./profile.ts";
import { chooseProject, noteTitle, profileLabel, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId, title: noteTitle });

export function promoteNoteTool(services: NoteServices): Tool {
  return defineTool({
    name: "promote_note",
    title: "Fold a note into the profile",
    description:
      "Have a model fold what a note says into the profile of its project. The note stays, and what the profile said before is in its history.",
    category: "memory",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "view the profile of the project, and see whether it says what the note says",
    timeoutMs: 120_000,
    effects: ({ project_id }, context) =>
      profileEffects(services, chooseProject(services, project_id), context),
    async execute({ project_id, title }, context): Promise<WrittenProfile> {
      const project = chooseProject(services, project_id);
      const what = `promote the note "${title}"`;
      const memory = openMemory(services, context);
      const note = await findNote(memory, project, title);
      const digest = requireDigest(services, what, "write the profile yourself with edit_project_profile");
      const profile = await memory.findBlock(profileLabel(project));
      const text = await digest.promote({
        project,
        note: toDigestSource(note),
        ...(profile !== undefined && { profile: profile.text }),
        signal: context.signal,
      });
      const origin =
        profile === undefined ? { sources: [note] } : { sources: [note, profile], continues: profile };
      return writeProfile(services, project, digested(text, what), context, origin);
    },
  });
}
