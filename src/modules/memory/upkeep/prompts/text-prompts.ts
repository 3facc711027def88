import { dataLines, formatDay } from "../../../../base/index.ts";
import type { JsonSchema } from "../../../../kernel/index.ts";
import { objectSchema, text } from "./answer-schema.ts";
import { dataRule } from "./data-lines.ts";

/** The schema for answers that are one text. */
export const textSchema: JsonSchema = objectSchema({ text });

/** A text with what it is called. */
export interface Titled {
  readonly title: string;
  readonly text: string;
  /** Unix ms: when it was so. */
  readonly at: number;
}

function toLine({ at, title, text }: Titled): object {
  return { date: formatDay(at), title, text };
}

export const digestSystem: string = [
  "You write the digest of a week from what was kept of it, for an assistant that will read it instead.",
  "Keep decisions, results, names, numbers, open questions and dates (2026-01-31); leave out how it came to them. Plain sentences or a short list, well under the length of what you are given.",
  dataRule,
].join("\n");

export function digestPrompt(project: string, from: string, sources: readonly Titled[]): string {
  return [
    projectLine(project),
    dataLines("entries", sources.map(toLine)),
    `Write the digest of the week that ${from} is in.`,
  ].join("\n\n");
}

export const profileSystem: string = [
  "You write the profile of a project: what somebody has to know who works on it.",
  "In Markdown, with short sections for those of these that something is known of: what it is, how it is built, conventions, decisions, pitfalls, open questions. Only what you are given says; where it contradicts itself, the later is right. Write dates out (2026-01-31).",
  dataRule,
].join("\n");

export function profilePrompt(project: string, sources: readonly Titled[]): string {
  return [
    projectLine(project),
    dataLines("entries", sources.map(toLine)),
    "Write the profile of this project.",
  ].join("\n\n");
}

export const foldSystem: string = [
  "You fold a note into the profile of a project, and give the whole profile as it is then.",
  "Change only what the note adds or corrects; leave every other word and section as it is. Say each thing once, where it belongs.",
  dataRule,
].join("\n");

export function foldPrompt(project: string, profile: string, note: Titled): string {
  return [
    projectLine(project),
    dataLines("profile", profile === "" ? [] : [{ text: profile }]),
    dataLines("note", [toLine(note)]),
    "Give the profile with the note folded in.",
  ].join("\n\n");
}

function projectLine(project: string): string {
  return dataLines("project", [{ id: project }]);
}
