import { oneLine } from "../../base/index.ts";

/** Subjects of notes that only tell the model how to go on: people see what comes of it. */
const silent: ReadonlySet<string> = new Set(["empty", "steps", "resumed", "reply"]);

/** What the agent is told by a note that is written for a model, by the subject of the note. */
const subjects: Readonly<Record<string, string>> = {
  instructions: "that its instructions have changed",
  memory: "what has changed in its memory",
  project: "which folder it works in now",
  repetition: "that it makes the same calls again and again",
  answers: "that it gives the same answer again and again",
};

/** A note to the model in words for people; undefined if it tells them nothing. */
export function describeNote(about: string, text: string): string | undefined {
  if (silent.has(about)) return undefined;
  // Notes about tools that were added are frequent; only a tool that has gone is news.
  if (about === "tools" && !/^".*" can't be called any more/m.test(text)) return undefined;
  const subject = about === "tools" ? "which of its tools have gone" : subjects[about];
  return subject === undefined ? `(${oneLine(text)})` : `(the agent is told ${subject})`;
}
