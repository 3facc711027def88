import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { openMemory } from "../memory-of.ts";
import { readsMemory } from "../reads-memory.ts";
import { showTime } from "../show-entry.ts";
import { formatTitle, listNotes } from "./find-note.ts";
import { chooseProject, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({ project_id: projectId });
const mostListed = 500;

export function listNotesTool(services: NoteServices): Tool {
  return defineTool({
    name: "list_notes",
    title: "List a project's notes",
    description: "List the notes of a project: titles, sizes in characters, and when each was changed.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: readsMemory,
    async execute({ project_id }, context) {
      const project = chooseProject(services, project_id);
      const memory = openMemory(services, context);
      const { entries, total } = await listNotes(memory, project, mostListed);
      const notes = entries.map((entry) => ({
        title: formatTitle(entry),
        size: entry.text.length,
        changed: showTime(entry.changedAt),
      }));
      const more = total > entries.length && { note: `there are ${total}; memory_search finds the others` };
      return labelledContent({ project, notes, ...more }, entries);
    },
  });
}
