import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { memoryEffects } from "../../store/memory-effects.ts";
import { openMemory } from "../memory-of.ts";
import { findNote, formatTitle } from "./find-note.ts";
import { chooseProject, noteLabel, noteTitle, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId, title: noteTitle });

interface DeletedNote {
  readonly deleted: string;
  /** The id by which the owner restores it. */
  readonly id: string;
}

export function deleteNoteTool(services: NoteServices): Tool {
  return defineTool({
    name: "delete_note",
    title: "Delete a note",
    description: "Delete a note of a project. Its owner can restore it by the id in the result.",
    category: "memory",
    parameters,
    annotations: { destructive: true, idempotent: false, openWorld: false },
    verify: "list the notes of the project",
    effects: ({ project_id, title }, context) => {
      const key = noteLabel(chooseProject(services, project_id), title);
      return memoryEffects(services.memory, context, [{ key, operation: "delete" }]);
    },
    async execute({ project_id, title }, context): Promise<DeletedNote> {
      const memory = openMemory(services, context);
      const note = await findNote(memory, chooseProject(services, project_id), title);
      await memory.deleteBlock(note.id);
      return { deleted: formatTitle(note), id: note.id };
    },
  });
}
