import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { openMemory } from "../memory-of.ts";
import { readsMemory } from "../reads-memory.ts";
import { findNote, formatTitle } from "./find-note.ts";
import { chooseProject, noteTitle, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId, title: noteTitle });

export function readNoteTool(services: NoteServices): Tool {
  return defineTool({
    name: "read_note",
    title: "Read a note",
    description: "Read a note of a project by its title.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxOutputChars: 100_000,
    effects: readsMemory,
    async execute({ project_id, title }, context) {
      const memory = openMemory(services, context);
      const note = await findNote(memory, chooseProject(services, project_id), title);
      return labelledContent({ title: formatTitle(note), content: note.text }, [note]);
    },
  });
}
