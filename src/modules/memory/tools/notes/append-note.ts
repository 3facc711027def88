import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { memoryEffects } from "../../store/memory-effects.ts";
import { openMemory } from "../memory-of.ts";
import { chooseProject, noteLabel, noteTitle, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";
import { writeEntry } from "./write-entry.ts";
import { newNote, type WrittenNote } from "./write-note.ts";

const parameters = z.strictObject({
  project_id: projectId,
  title: noteTitle,
  content: z.string().min(1).describe("What to add, in Markdown"),
});

export function appendNoteTool(services: NoteServices): Tool {
  return defineTool({
    name: "append_note",
    title: "Add to a note",
    description:
      "Add a text to a note of a project, after a blank line. Makes the note if there is none with that title.",
    category: "memory",
    parameters,
    annotations: { destructive: false, openWorld: false },
    verify: "read the note, and see whether the text stands at its end",
    effects: ({ project_id, title }, context) => {
      const key = noteLabel(chooseProject(services, project_id), title);
      return memoryEffects(services.memory, context, [{ key, operation: "append" }]);
    },
    async execute({ project_id, title, content }, context): Promise<WrittenNote> {
      const project = chooseProject(services, project_id);
      const memory = openMemory(services, context);
      const { entry, created } = await writeEntry(memory, newNote(project, title, content), ({ id, text }) =>
        memory.appendToBlock(id, text.endsWith("\n\n") || text === "" ? content : `\n${content}`),
      );
      const outcome = created ? "created" : "extended";
      return { title: entry.title ?? title, project, outcome, size: entry.text.length };
    },
  });
}
