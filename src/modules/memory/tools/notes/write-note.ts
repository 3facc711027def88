import { z } from "zod";
import { oneLine } from "../../../../base/index.ts";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { memoryEffects } from "../../store/memory-effects.ts";
import type { NewMemoryEntry } from "../../store/memory-entry.ts";
import { openMemory } from "../memory-of.ts";
import { chooseProject, noteLabel, noteTitle, projectId, projectTag } from "./project.ts";
import type { NoteServices } from "./services.ts";
import { writeEntry } from "./write-entry.ts";

const parameters = z.strictObject({
  project_id: projectId,
  title: noteTitle,
  content: z.string().min(1).describe("The whole text, in Markdown"),
});

export interface WrittenNote {
  readonly title: string;
  readonly project: string;
  readonly outcome: "created" | "replaced" | "extended";
  /** Characters. */
  readonly size: number;
}

export function writeNoteTool(services: NoteServices): Tool {
  return defineTool({
    name: "write_note",
    title: "Write a note",
    description:
      "Write a note of a project, or overwrite the one with that title. What it said before is in its history.",
    category: "memory",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    effects: ({ project_id, title }, context) => {
      const key = noteLabel(chooseProject(services, project_id), title);
      return memoryEffects(services.memory, context, [{ key, operation: "overwrite" }]);
    },
    async execute({ project_id, title, content }, context): Promise<WrittenNote> {
      const project = chooseProject(services, project_id);
      const memory = openMemory(services, context);
      const { entry, created } = await writeEntry(memory, newNote(project, title, content), ({ id }) =>
        memory.updateBlockText(id, content),
      );
      const outcome = created ? "created" : "replaced";
      return { title: entry.title ?? title, project, outcome, size: entry.text.length };
    },
  });
}

/** Makes the entry that a note is kept as. Its label is made of project and title, so that a project has one note of a title. */
export function newNote(
  project: string,
  title: string,
  text: string,
): NewMemoryEntry & { readonly label: string } {
  return {
    kind: "note",
    label: noteLabel(project, title),
    title: oneLine(title),
    text,
    permission: "admin",
    tags: [projectTag(project)],
  };
}
