import { z } from "zod";
import { oneLine } from "../../../../base/index.ts";
import { pathPart } from "../../store/path-part.ts";
import { NoteError } from "./errors.ts";
import type { NoteServices } from "./services.ts";

export const projectId: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(60)
  .optional()
  .describe("The project; the current one where left out");

export const noteTitle: z.ZodString = z.string().min(1).max(100).describe("The title of the note");

/** @throws {NoteError} NOTE_PROJECT */
export function chooseProject({ project }: NoteServices, given: string | undefined): string {
  const id = oneLine(given ?? project ?? "");
  if (id !== "") return id;
  throw new NoteError(
    "NOTE_PROJECT",
    "Cannot tell which project is meant: there is no current one; give project_id",
  );
}

/** What all notes of a project begin with. */
export function notesPrefix(project: string): string {
  return `notes/${pathPart(project)}/`;
}

/** Titles that differ in case or blanks alone are of one note. */
export function noteLabel(project: string, title: string): string {
  return notesPrefix(project) + pathPart(oneLine(title).normalize("NFC").toLowerCase());
}

export function profileLabel(project: string): string {
  return `profile/${pathPart(project)}`;
}

/** On everything that belongs to a project. */
export function projectTag(project: string): string {
  return `project:${project}`;
}

/** Whether an entry belongs to other projects than this. What belongs to none is everybody's. */
export function isOfOther(project: string, { tags }: { readonly tags: readonly string[] }): boolean {
  return tags.some((tag) => tag.startsWith(projectTag(""))) && !tags.includes(projectTag(project));
}
